-- Prints one person of an old server's database per line, in the form of docs/SNAPSHOTS.md. It is written
-- for a typical relational schema, service/testing/old-schema.sql, which the tests use. Change the names of
-- tables and columns to those of your database. docs/TAKE-OVER.md runs it.
--
-- The last line is important: the text format of COPY would double every backslash, and so damage the JSON.
-- No JSON text contains the bytes 1 and 2.
copy (
  select json_build_object(
    'passport', json_build_object(
      'activity_score', p.activity_score,
      'identity_score', p.identity_score,
      'skills_score', p.skills_score,
      'score', p.score,
      'calculating_score', p.calculating_score,
      'connections_count', (select count(*) from connections c where c.passport_id = p.id),
      'human_checkmark', p.human,
      'last_calculated_at', to_char(p.calculated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'main_wallet', p.main_wallet,
      'passport_id', p.id,
      'passport_profile', json_build_object(
        'bio', f.bio,
        'display_name', f.display_name,
        'location', f.location,
        'tags', coalesce((select json_agg(t.tag order by t.position) from profile_tags t where t.passport_id = p.id), '[]')
      ),
      'verified_wallets', coalesce((
        select json_agg(w.address order by w.position) from wallets w
        where w.passport_id = p.id and w.verified_at is not null
      ), '[]'),
      'merged', p.merged,
      'passport_socials', coalesce((
        select json_agg(json_build_object(
          'follower_count', s.followers::text,
          'following_count', s.following::text,
          'location', s.location,
          'profile_bio', s.bio,
          'profile_display_name', s.display_name,
          'profile_image_url', s.image_url,
          'profile_name', s.name,
          'profile_url', s.url,
          'source', s.source
        ) order by s.position) from social_accounts s where s.passport_id = p.id
      ), '[]')
    ),
    'credentials', coalesce((
      select json_agg(json_build_object(
        'id', d.id,
        'earned_at', to_char(d.earned_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'category', d.category,
        'last_calculated_at', to_char(d.calculated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'max_score', d.max_score,
        'score', d.score,
        'name', d.name,
        'type', d.type,
        'value', d.value
      ) order by d.id) from credentials d where d.passport_id = p.id
    ), '[]')
  )
  from passports p left join profiles f on f.passport_id = p.id
) to stdout with (format csv, quote e'\x01', delimiter e'\x02')
