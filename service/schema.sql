CREATE FUNCTION count_erasure() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update protection_change set number = number + 1;
  return null;
end
$$;

CREATE FUNCTION count_protections() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if exists (select from changed) then
    update protection_change set number = number + 1;
  end if;
  return null;
end
$$;

CREATE FUNCTION enqueue_request(new_code_hash bytea, new_secret_hash bytea, new_passport_id bigint, new_action text, new_address text, new_message text, new_signature text, new_nonce text, new_mode text, new_grace_seconds bigint) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if exists (select from holder_request where code_hash = new_code_hash) then
    return 'known';
  end if;
  if (select count(*) from holder_request where seen_at is null and state = 'received') >= 1000 then
    return 'full';
  end if;
  -- A holder can always end what is open: requests to withdraw have a limit of their own.
  if (
    select count(*) from holder_request
    where seen_at is null and state = 'received' and address = new_address
      and (action = 'withdraw') = (new_action is not distinct from 'withdraw')
  ) >= (case when new_action = 'withdraw' then 10 else 3 end) then
    return 'full';
  end if;
  insert into holder_request
    (code_hash, secret_hash, passport_id, action, address, message, signature, nonce, mode, grace_seconds)
  values (
    new_code_hash, new_secret_hash, new_passport_id, new_action, new_address, new_message, new_signature, new_nonce,
    case when new_mode = 'on' then 'on' when new_mode is not null then 'review' end,
    least(greatest(new_grace_seconds, 0), 2592000)
  )
  on conflict do nothing;
  if not found then
    return 'known';
  end if;
  perform pg_notify('credence_work', '');
  return 'stored';
end
$$;

CREATE FUNCTION fetch_export(of_code_hash bytea, of_secret_hash bytea) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select export.body
  from holder_request as request join holder_export as export on export.request_id = request.request_id
  where request.code_hash = of_code_hash and request.secret_hash = of_secret_hash and export.expires_at > now()
$$;

CREATE FUNCTION forget_source() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.source_digest := null;
  return new;
end
$$;

CREATE FUNCTION grams(folded text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
  select array_agg(substr(folded, start, size))
  from generate_series(1, char_length(folded)) as start, generate_series(1, 3) as size
  where start + size - 1 <= char_length(folded)
$$;

CREATE FUNCTION record_usage(batch jsonb) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  today constant date := (now() at time zone 'UTC')::date;
  max_count constant bigint := 9007199254740991;
  added bigint;
begin
  if octet_length(batch::text) > 8388608
    or jsonb_typeof(batch -> 'counts') is distinct from 'array' or jsonb_array_length(batch -> 'counts') > 10000
    or jsonb_typeof(batch -> 'marks') is distinct from 'array' or jsonb_array_length(batch -> 'marks') > 10000
    or batch ->> 'node' is null or batch ->> 'sequence' is null
  then
    raise exception 'invalid batch of usage counts' using errcode = 'invalid_parameter_value';
  end if;
  lock table lock_usage in exclusive mode;
  delete from usage_batch where written_at < now() - interval '4 days';
  insert into usage_batch as stored (node, sequence)
  values ((batch ->> 'node')::uuid, (batch ->> 'sequence')::bigint)
  on conflict (node) do update set sequence = excluded.sequence, written_at = now()
  where stored.sequence < excluded.sequence;
  if not found then
    return null;
  end if;

  with incoming as (
    select day, client, endpoint, status, least(sum(requests), max_count) as requests, least(max(last_at), now()) as last_at
    from jsonb_to_recordset(batch -> 'counts')
      as count (day date, client text, endpoint text, status text, requests bigint, last_at timestamptz)
    where day between today - 2 and today + 1 and requests between 1 and max_count
      and (client in ('anonymous', 'unknown key') or exists (select from api_key where key_id = client))
    group by day, client, endpoint, status
  ), written as (
    insert into usage_count as stored (day, client, endpoint, status, requests, last_at)
    select day, client, endpoint, status, requests, last_at from incoming
    on conflict (day, client, endpoint, status) do update set
      requests = least(stored.requests + excluded.requests, max_count),
      last_at = greatest(stored.last_at, excluded.last_at)
  )
  select coalesce(sum(requests), 0) from incoming into added;

  insert into usage_mark as stored (day, kind, value, requests, last_at)
  select day, kind, value, least(sum(requests), max_count), now()
  from jsonb_to_recordset(batch -> 'marks') as mark (day date, kind text, value text, requests bigint)
  where day between today - 2 and today + 1 and requests between 1 and max_count
  group by day, kind, value
  on conflict (day, kind, value) do update set
    requests = least(stored.requests + excluded.requests, max_count), last_at = now();

  -- More than are reported, so that a value that becomes frequent during the day is not lost.
  delete from usage_mark as mark
  using (
    select day, kind, value, row_number() over (partition by day, kind order by requests desc, value) as place
    from usage_mark where day between today - 2 and today + 1
  ) as ranked
  where ranked.place > 500 and mark.day = ranked.day and mark.kind = ranked.kind and mark.value = ranked.value;
  return added;
end
$$;

CREATE FUNCTION record_visibility() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into visibility_change as stored (passport_id, hidden, at)
  select passport_id, after.hidden, greatest(clock_timestamp(), (
      select max(shown.at) + interval '1 microsecond' from audit as shown
      where shown.passport_id = after.passport_id and action = 'unhide'
    ))
  from after left join visibility_change as last using (passport_id)
  where after.hidden <> coalesce(last.hidden, false)
  on conflict (passport_id) do update set hidden = excluded.hidden, at = excluded.at;
  if found then
    update protection_change set number = number + 1;
  end if;
  return null;
end
$$;

CREATE FUNCTION report_holder_settings(its_holder_requests text, its_grace_seconds bigint, its_public_url text, its_holder_keys text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  insert into holder_settings (process, holder_requests, erase_grace_seconds, public_url, holder_keys)
  values ('server', its_holder_requests, least(greatest(its_grace_seconds, 0), 2592000), its_public_url, its_holder_keys)
  on conflict (process, holder_requests, erase_grace_seconds, public_url, holder_keys, opt_out_key)
  do update set last_seen_at = now();
  delete from holder_settings where settings_id in (
    select settings_id from holder_settings where process = 'server' order by last_seen_at desc offset 50
  );
end
$$;

CREATE FUNCTION state_of_request(of_code_hash bytea) RETURNS TABLE(action text, state text, note text, received_at timestamp with time zone, due_at timestamp with time zone, completed_at timestamp with time zone, available_until timestamp with time zone, history jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select request.action,
    case when is_withdrawn then 'withdrawn' when is_shown then request.state else 'received' end,
    case when is_shown and not is_withdrawn then request.note end,
    request.received_at,
    request.due_at,
    case when is_shown and not is_withdrawn and not is_unlisted then request.completed_at end,
    export.expires_at,
    case when request.completed_at is null or (is_shown and not is_withdrawn and not is_unlisted) then request.transitions else '[]' end
      || case
        when is_withdrawn then jsonb_build_array(jsonb_build_object('state', 'withdrawn', 'at', request.withdrawn_at))
        when is_shown and is_unlisted then
          jsonb_build_array(jsonb_build_object('state', 'refused', 'at', request.received_at + interval '30 seconds'))
        when is_shown and request.state = 'refused' and request.transitions -> -1 ->> 'state' is distinct from 'refused' then
          jsonb_build_array(jsonb_build_object('state', 'refused', 'at', request.completed_at))
        else '[]'
      end
  from holder_request as request
    left join holder_export as export on export.request_id = request.request_id and export.expires_at > now(),
    lateral (
      select case
        when request.completed_at is null then request.withdrawn_at is null
        else request.state <> 'refused' or request.received_at <= now() - interval '30 seconds'
      end as is_shown,
      request.state = 'refused' and request.message is null as is_unproven,
      request.state = 'refused'
        and coalesce(request.note = format('Passport %s does not list this wallet.', request.passport_id), false) as is_unlisted
    ) as visibility,
    lateral (
      select request.withdrawn_at is not null and (not is_shown or is_unproven) as is_withdrawn
    ) as withdrawal
  where request.code_hash = of_code_hash
$$;

CREATE FUNCTION tell_of_keys() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('credence_people', 'keys');
  return null;
end
$$;

CREATE FUNCTION tell_of_people() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (select count(*) from before) > 20000 then
    perform pg_notify('credence_people', '');
  else
    perform pg_notify('credence_people', string_agg(passport_id::text, ','))
    from (
      select passport_id, row_number() over () / 400 as message from (select distinct passport_id from before) as changed
    ) as numbered
    group by message;
  end if;
  return null;
end
$$;

CREATE FUNCTION waiting_requests(OUT requests integer, OUT oldest_at timestamp with time zone, OUT unverifiable integer, OUT erasures_overdue integer, OUT clock_refusals integer, OUT in_review integer, OUT oldest_in_review_at timestamp with time zone, OUT erasures_accepted integer) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select count(*) filter (where is_left),
    min(received_at) filter (where is_left),
    count(*) filter (where state = 'unverifiable'),
    count(*) filter (where state = 'waiting' and due_at < now() - interval '5 minutes'),
    (
      select count(*) from holder_request
      where completed_at > now() - interval '1 day' and message is not null and note = 'A clock of the server was wrong. Sign again.'
    ),
    count(*) filter (where state = 'review'),
    min(received_at) filter (where state = 'review'),
    count(*) filter (where state = 'waiting')
  from holder_request,
    lateral (
      select state = 'received' and (seen_at is null or attempts > 0 or seen_at < now() - interval '1 minute') as is_left
    ) as looked_at
  where completed_at is null
$$;

CREATE FUNCTION withdraw_request(of_code_hash bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  update holder_request set withdrawn_at = now()
  where code_hash = of_code_hash and withdrawn_at is null
    and (completed_at is null or (state = 'refused' and received_at > now() - interval '30 seconds'));
  perform pg_notify('credence_work', '');
end
$$;

CREATE TABLE api_key (
    key_id text NOT NULL,
    hash bytea NOT NULL,
    adopted boolean NOT NULL,
    label text NOT NULL,
    contact text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    points_limit integer,
    rehearsed_until timestamp with time zone,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_points_limit_check CHECK ((points_limit > 0))
);

CREATE TABLE audit (
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    action text NOT NULL,
    passport_id bigint,
    by_role text DEFAULT SESSION_USER NOT NULL,
    request_id bigint,
    people integer,
    requests integer,
    CONSTRAINT audit_action_check CHECK (((action = ANY (ARRAY['hide'::text, 'unhide'::text, 'erase'::text, 'keep hidden'::text])) OR (action = ANY (ARRAY['request'::text, 'review'::text, 'approve'::text, 'refuse'::text, 'withdraw'::text, 'replace'::text, 'see'::text, 'unproven'::text])) OR (action = ANY (ARRAY['import without key'::text, 'lost key'::text, 'other key'::text])))),
    CONSTRAINT audit_people_check CHECK ((people > 0)),
    CONSTRAINT audit_requests_check CHECK ((requests > 0)),
    CONSTRAINT audit_subject_check CHECK ((num_nonnulls(passport_id, people, requests) = 1))
);

CREATE TABLE credential (
    passport_id bigint NOT NULL,
    id text NOT NULL,
    earned_at text,
    category text NOT NULL,
    last_calculated_at timestamp(3) with time zone,
    max_score double precision NOT NULL,
    score double precision NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    value text,
    CONSTRAINT credential_earned_at_check CHECK ((char_length(earned_at) <= 64)),
    CONSTRAINT credential_last_calculated_at_check CHECK (((last_calculated_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (last_calculated_at <= '9999-12-31 23:59:59.999+00'::timestamp with time zone))),
    CONSTRAINT credential_max_score_check CHECK (((max_score >= (0)::double precision) AND (max_score <= ('1000000000000000'::numeric)::double precision))),
    CONSTRAINT credential_score_check CHECK (((score >= (0)::double precision) AND (score <= ('1000000000000000'::numeric)::double precision)))
);

CREATE TABLE credential_document (
    passport_id bigint NOT NULL,
    body text NOT NULL,
    etag text NOT NULL,
    presenter integer NOT NULL
);

CREATE TABLE holder_export (
    request_id bigint NOT NULL,
    body text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE holder_hide (
    passport_id bigint NOT NULL,
    by_operator boolean DEFAULT false NOT NULL
);

CREATE TABLE holder_request (
    request_id bigint NOT NULL,
    code_hash bytea NOT NULL,
    secret_hash bytea,
    passport_id bigint NOT NULL,
    action text NOT NULL,
    address text,
    message text,
    signature text,
    nonce text,
    state text DEFAULT 'received'::text NOT NULL,
    note text,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    approved_for bigint[],
    was_hidden boolean,
    due_at timestamp with time zone,
    withdrawn_at timestamp with time zone,
    completed_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    retry_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    seen_at timestamp with time zone,
    transitions jsonb DEFAULT '[]'::jsonb NOT NULL,
    mode text,
    grace_seconds integer,
    CONSTRAINT holder_request_action_check CHECK ((action ~ '^[a-z]{1,20}$'::text)),
    CONSTRAINT holder_request_address_check CHECK (((octet_length(address) >= 1) AND (octet_length(address) <= 128))),
    CONSTRAINT holder_request_check CHECK ((((state = ANY (ARRAY['received'::text, 'unverifiable'::text, 'review'::text, 'waiting'::text])) AND (completed_at IS NULL)) OR ((state = ANY (ARRAY['done'::text, 'refused'::text, 'withdrawn'::text, 'replaced'::text])) AND (completed_at IS NOT NULL)))),
    CONSTRAINT holder_request_code_hash_check CHECK ((octet_length(code_hash) = 32)),
    CONSTRAINT holder_request_grace_seconds_check CHECK (((grace_seconds >= 0) AND (grace_seconds <= 2592000))),
    CONSTRAINT holder_request_last_error_check CHECK ((char_length(last_error) <= 1000)),
    CONSTRAINT holder_request_message_check CHECK (((octet_length(message) >= 1) AND (octet_length(message) <= 4096))),
    CONSTRAINT holder_request_mode_check CHECK ((mode = ANY (ARRAY['on'::text, 'review'::text]))),
    CONSTRAINT holder_request_nonce_check CHECK (((octet_length(nonce) >= 1) AND (octet_length(nonce) <= 128))),
    CONSTRAINT holder_request_note_check CHECK ((char_length(note) <= 1000)),
    CONSTRAINT holder_request_passport_id_check CHECK (((passport_id >= 1) AND (passport_id <= '9007199254740991'::bigint))),
    CONSTRAINT holder_request_proof_check CHECK (((num_nonnulls(address, message, signature, nonce) = 4) OR ((num_nonnulls(address, message, signature, nonce, secret_hash) = 0) AND (completed_at IS NOT NULL)))),
    CONSTRAINT holder_request_secret_hash_check CHECK ((octet_length(secret_hash) = 32)),
    CONSTRAINT holder_request_signature_check CHECK (((octet_length(signature) >= 1) AND (octet_length(signature) <= 1024)))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000');

ALTER TABLE holder_request ALTER COLUMN request_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME holder_request_request_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE holder_settings (
    settings_id bigint NOT NULL,
    process text NOT NULL,
    holder_requests text NOT NULL,
    erase_grace_seconds integer NOT NULL,
    public_url text NOT NULL,
    holder_keys text NOT NULL,
    opt_out_key text DEFAULT ''::text NOT NULL,
    first_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT holder_settings_erase_grace_seconds_check CHECK (((erase_grace_seconds >= 0) AND (erase_grace_seconds <= 2592000))),
    CONSTRAINT holder_settings_holder_keys_check CHECK ((octet_length(holder_keys) <= 1000)),
    CONSTRAINT holder_settings_holder_requests_check CHECK ((holder_requests = ANY (ARRAY['off'::text, 'review'::text, 'on'::text]))),
    CONSTRAINT holder_settings_opt_out_key_check CHECK ((octet_length(opt_out_key) <= 100)),
    CONSTRAINT holder_settings_process_check CHECK ((process = ANY (ARRAY['server'::text, 'worker'::text]))),
    CONSTRAINT holder_settings_public_url_check CHECK (((octet_length(public_url) >= 1) AND (octet_length(public_url) <= 1000)))
);

ALTER TABLE holder_settings ALTER COLUMN settings_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME holder_settings_settings_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE kept_hide (
    passport_id bigint NOT NULL,
    hidden_at timestamp with time zone NOT NULL,
    by_holder boolean NOT NULL,
    by_operator boolean NOT NULL,
    CONSTRAINT kept_hide_check CHECK ((by_holder OR by_operator)),
    CONSTRAINT kept_hide_passport_id_check CHECK (((passport_id >= 1) AND (passport_id <= '9007199254740991'::bigint)))
);

CREATE TABLE lock_epochs (
);

CREATE TABLE lock_people (
);

CREATE TABLE lock_standing (
);

CREATE TABLE lock_usage (
);

CREATE TABLE opt_out (
    passport_id bigint NOT NULL,
    opted_out_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT opt_out_passport_id_check CHECK (((passport_id >= 1) AND (passport_id <= '9007199254740991'::bigint)))
);

CREATE TABLE opt_out_key (
    key text NOT NULL,
    origin text NOT NULL,
    last_used_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT opt_out_key_key_check CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 100))),
    CONSTRAINT opt_out_key_origin_check CHECK ((origin = ANY (ARRAY['here'::text, 'unknown'::text, 'other'::text, 'lost'::text])))
);

CREATE TABLE opt_out_wallet (
    hash bytea NOT NULL,
    key text NOT NULL,
    passport_id bigint NOT NULL,
    applied boolean DEFAULT false NOT NULL,
    CONSTRAINT opt_out_wallet_hash_check CHECK ((octet_length(hash) = 32))
);

CREATE TABLE passport (
    passport_id bigint NOT NULL,
    activity_score double precision NOT NULL,
    identity_score double precision NOT NULL,
    skills_score double precision NOT NULL,
    score double precision,
    calculating_score boolean NOT NULL,
    connections_count bigint NOT NULL,
    human_checkmark boolean NOT NULL,
    last_calculated_at timestamp(3) with time zone,
    bio text,
    display_name text,
    folded_name text,
    location text,
    tags text[] NOT NULL,
    merged boolean NOT NULL,
    hidden boolean DEFAULT false NOT NULL,
    source_digest bytea,
    CONSTRAINT passport_activity_score_check CHECK (((activity_score >= (0)::double precision) AND (activity_score <= ('1000000000000000'::numeric)::double precision))),
    CONSTRAINT passport_connections_count_check CHECK (((connections_count >= 0) AND (connections_count <= '9007199254740991'::bigint))),
    CONSTRAINT passport_identity_score_check CHECK (((identity_score >= (0)::double precision) AND (identity_score <= ('1000000000000000'::numeric)::double precision))),
    CONSTRAINT passport_last_calculated_at_check CHECK (((last_calculated_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (last_calculated_at <= '9999-12-31 23:59:59.999+00'::timestamp with time zone))),
    CONSTRAINT passport_passport_id_check CHECK (((passport_id >= 1) AND (passport_id <= '9007199254740991'::bigint))),
    CONSTRAINT passport_score_check CHECK (((score >= (0)::double precision) AND (score <= ('1000000000000000'::numeric)::double precision))),
    CONSTRAINT passport_skills_score_check CHECK (((skills_score >= (0)::double precision) AND (skills_score <= ('1000000000000000'::numeric)::double precision)))
);

CREATE TABLE passport_document (
    passport_id bigint NOT NULL,
    body text NOT NULL,
    tail text NOT NULL,
    etag text NOT NULL,
    presenter integer NOT NULL
);

CREATE TABLE passport_wallet (
    passport_id bigint NOT NULL,
    "position" smallint NOT NULL,
    address text NOT NULL,
    CONSTRAINT passport_wallet_position_check CHECK (("position" >= 0))
);

CREATE TABLE people_change (
    only_row boolean DEFAULT true NOT NULL,
    number bigint NOT NULL,
    unlisted_since timestamp with time zone,
    CONSTRAINT people_change_only_row_check CHECK (only_row)
);

CREATE TABLE protection_change (
    only_row boolean DEFAULT true NOT NULL,
    number bigint NOT NULL,
    CONSTRAINT protection_change_only_row_check CHECK (only_row)
);

CREATE TABLE protections_file (
    file_id uuid NOT NULL,
    written_at timestamp with time zone,
    imported_at timestamp with time zone,
    CONSTRAINT protections_file_check CHECK ((num_nonnulls(written_at, imported_at) > 0))
);

CREATE TABLE schema_migration (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    run_on timestamp without time zone NOT NULL
);

CREATE SEQUENCE schema_migration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE schema_migration_id_seq OWNED BY schema_migration.id;

CREATE TABLE shown_after_backup (
    passport_id bigint NOT NULL,
    CONSTRAINT shown_after_backup_passport_id_check CHECK (((passport_id >= 1) AND (passport_id <= '9007199254740991'::bigint)))
);

CREATE TABLE social (
    passport_id bigint NOT NULL,
    "position" smallint NOT NULL,
    follower_count text,
    following_count text,
    location text,
    profile_bio text,
    profile_display_name text,
    profile_image_url text,
    profile_name text,
    profile_url text,
    source text NOT NULL,
    CONSTRAINT social_position_check CHECK (("position" >= 1))
);

CREATE TABLE standing (
    rank bigint NOT NULL,
    passport_id bigint,
    score double precision,
    body text,
    folded_name text
);

CREATE TABLE standing_1 (
    rank bigint NOT NULL,
    passport_id bigint,
    score double precision,
    body text,
    folded_name text
);

CREATE TABLE standing_1_keywords (
    keyword text NOT NULL COLLATE pg_catalog."C",
    people integer NOT NULL,
    ranks integer[] NOT NULL,
    anchors integer[] NOT NULL
);
ALTER TABLE ONLY standing_1_keywords ALTER COLUMN ranks SET STORAGE EXTERNAL;

CREATE TABLE standing_1_names (
    folded_name text NOT NULL,
    people integer NOT NULL,
    ranks integer[] NOT NULL
);

CREATE TABLE standing_correction (
    passport_id bigint NOT NULL
);

CREATE TABLE standing_epoch (
    epoch integer NOT NULL,
    total bigint NOT NULL,
    built_at timestamp with time zone DEFAULT now() NOT NULL,
    build_ms integer NOT NULL,
    people_change bigint NOT NULL,
    newest_score_at timestamp with time zone,
    oldest_score_at timestamp with time zone,
    score_step double precision,
    score_bins integer[],
    score_cuts double precision[]
);

CREATE TABLE standing_keywords (
    keyword text NOT NULL COLLATE pg_catalog."C",
    people integer NOT NULL,
    ranks integer[] NOT NULL,
    anchors integer[] NOT NULL
);
ALTER TABLE ONLY standing_keywords ALTER COLUMN ranks SET STORAGE EXTERNAL;

CREATE TABLE standing_names (
    folded_name text NOT NULL,
    people integer NOT NULL,
    ranks integer[] NOT NULL
);

CREATE TABLE unsigned_erasure (
    passport_id bigint NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    CONSTRAINT unsigned_erasure_passport_id_check CHECK (((passport_id >= 1) AND (passport_id <= '9007199254740991'::bigint)))
);

CREATE TABLE usage_batch (
    node uuid NOT NULL,
    sequence bigint NOT NULL,
    written_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT usage_batch_sequence_check CHECK (((sequence >= 1) AND (sequence <= '9007199254740991'::bigint)))
);

CREATE TABLE usage_count (
    day date NOT NULL,
    client text NOT NULL,
    endpoint text NOT NULL,
    status text NOT NULL,
    requests bigint NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT usage_count_endpoint_check CHECK (((endpoint = ANY (ARRAY['/api/v1/passports'::text, '/api/v1/passports/:id'::text, '/api/v1/passport_credentials'::text])) OR (endpoint = ANY (ARRAY['/'::text, '/leaderboard'::text, '/search'::text, '/passports/:id'::text, '/compare'::text, '/badge/:file'::text])))),
    CONSTRAINT usage_count_requests_check CHECK (((requests >= 1) AND (requests <= '9007199254740991'::bigint))),
    CONSTRAINT usage_count_status_check CHECK ((status = ANY (ARRAY['2xx'::text, '3xx'::text, '401'::text, '410'::text, '429'::text, '4xx'::text, '5xx'::text])))
);

CREATE TABLE usage_mark (
    day date NOT NULL,
    kind text NOT NULL,
    value text NOT NULL COLLATE pg_catalog."C",
    requests bigint NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT usage_mark_check CHECK (((value ~ '^[ -~]{1,128}$'::text) AND (value !~* 'crd_'::text) AND ((kind <> 'parameter'::text) OR (value ~ '^[A-Za-z0-9_-]{1,32}$'::text)) AND ((kind <> 'unknown key'::text) OR (value ~ '^[0-9a-f]{64}$'::text)))),
    CONSTRAINT usage_mark_kind_check CHECK ((kind = ANY (ARRAY['user agent'::text, 'origin'::text, 'parameter'::text, 'unknown key'::text, 'key in URL'::text, 'path'::text]))),
    CONSTRAINT usage_mark_path_check CHECK (((kind <> 'path'::text) OR (value ~ '^/$|^(/([a-z0-9_-]{1,32}|[*])){1,5}$'::text))),
    CONSTRAINT usage_mark_requests_check CHECK (((requests >= 1) AND (requests <= '9007199254740991'::bigint)))
);

CREATE TABLE visibility_change (
    passport_id bigint NOT NULL,
    hidden boolean NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE wallet_owner (
    address text NOT NULL,
    passport_id bigint NOT NULL
);

CREATE TABLE worker_process (
    worker_id uuid DEFAULT gen_random_uuid() NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    verifies boolean NOT NULL,
    erases boolean NOT NULL,
    requests_waiting integer DEFAULT 0 NOT NULL,
    oldest_waiting_at timestamp with time zone,
    erasures_overdue integer DEFAULT 0 NOT NULL,
    protections_current_at timestamp with time zone,
    is_older_than_file boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY schema_migration ALTER COLUMN id SET DEFAULT nextval('schema_migration_id_seq'::regclass);

ALTER TABLE ONLY api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);

ALTER TABLE ONLY api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (key_id);

ALTER TABLE ONLY credential_document
    ADD CONSTRAINT credential_document_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY credential
    ADD CONSTRAINT credential_pkey PRIMARY KEY (passport_id, id);

ALTER TABLE ONLY holder_export
    ADD CONSTRAINT holder_export_pkey PRIMARY KEY (request_id);

ALTER TABLE ONLY holder_hide
    ADD CONSTRAINT holder_hide_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY holder_request
    ADD CONSTRAINT holder_request_code_hash_key UNIQUE (code_hash);

ALTER TABLE ONLY holder_request
    ADD CONSTRAINT holder_request_nonce_key UNIQUE (nonce);

ALTER TABLE ONLY holder_request
    ADD CONSTRAINT holder_request_pkey PRIMARY KEY (request_id);

ALTER TABLE ONLY holder_settings
    ADD CONSTRAINT holder_settings_pkey PRIMARY KEY (settings_id);

ALTER TABLE ONLY holder_settings
    ADD CONSTRAINT holder_settings_process_holder_requests_erase_grace_seconds_key UNIQUE (process, holder_requests, erase_grace_seconds, public_url, holder_keys, opt_out_key);

ALTER TABLE ONLY kept_hide
    ADD CONSTRAINT kept_hide_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY opt_out_key
    ADD CONSTRAINT opt_out_key_pkey PRIMARY KEY (key);

ALTER TABLE ONLY opt_out
    ADD CONSTRAINT opt_out_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY opt_out_wallet
    ADD CONSTRAINT opt_out_wallet_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY passport_document
    ADD CONSTRAINT passport_document_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY passport
    ADD CONSTRAINT passport_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY passport_wallet
    ADD CONSTRAINT passport_wallet_pkey PRIMARY KEY (passport_id, "position");

ALTER TABLE ONLY people_change
    ADD CONSTRAINT people_change_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY protection_change
    ADD CONSTRAINT protection_change_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY protections_file
    ADD CONSTRAINT protections_file_pkey PRIMARY KEY (file_id);

ALTER TABLE ONLY schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (id);

ALTER TABLE ONLY shown_after_backup
    ADD CONSTRAINT shown_after_backup_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY social
    ADD CONSTRAINT social_pkey PRIMARY KEY (passport_id, "position");

ALTER TABLE ONLY standing_1_keywords
    ADD CONSTRAINT standing_1_keywords_pkey PRIMARY KEY (keyword);

ALTER TABLE ONLY standing_1
    ADD CONSTRAINT standing_1_pkey PRIMARY KEY (rank);

ALTER TABLE ONLY standing_correction
    ADD CONSTRAINT standing_correction_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY standing_epoch
    ADD CONSTRAINT standing_epoch_pkey PRIMARY KEY (epoch);

ALTER TABLE ONLY unsigned_erasure
    ADD CONSTRAINT unsigned_erasure_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY usage_batch
    ADD CONSTRAINT usage_batch_pkey PRIMARY KEY (node);

ALTER TABLE ONLY usage_count
    ADD CONSTRAINT usage_count_pkey PRIMARY KEY (day, client, endpoint, status);

ALTER TABLE ONLY usage_mark
    ADD CONSTRAINT usage_mark_pkey PRIMARY KEY (day, kind, value);

ALTER TABLE ONLY visibility_change
    ADD CONSTRAINT visibility_change_pkey PRIMARY KEY (passport_id);

ALTER TABLE ONLY wallet_owner
    ADD CONSTRAINT wallet_owner_pkey PRIMARY KEY (address);

ALTER TABLE ONLY worker_process
    ADD CONSTRAINT worker_process_pkey PRIMARY KEY (worker_id);

CREATE INDEX api_key_changed_at ON api_key USING btree (changed_at);

CREATE INDEX audit_at ON audit USING btree (at);

CREATE INDEX audit_shown ON audit USING btree (passport_id, at) WHERE (action = 'unhide'::text);

CREATE INDEX holder_request_address ON holder_request USING btree (address) WHERE (message IS NOT NULL);

CREATE INDEX holder_request_completed_at ON holder_request USING btree (completed_at) WHERE ((message IS NOT NULL) OR (state <> 'refused'::text));

CREATE INDEX holder_request_due ON holder_request USING btree (request_id) WHERE ((completed_at IS NULL) AND ((state <> 'review'::text) OR (withdrawn_at IS NOT NULL)));

CREATE INDEX holder_request_passport ON holder_request USING btree (passport_id, request_id) WHERE (message IS NOT NULL);

CREATE INDEX holder_request_unproven ON holder_request USING btree (request_id) WHERE ((state = 'refused'::text) AND (message IS NULL));

CREATE INDEX holder_request_unseen ON holder_request USING btree (address) WHERE ((seen_at IS NULL) AND (state = 'received'::text));

CREATE INDEX opt_out_wallet_passport ON opt_out_wallet USING btree (passport_id);

CREATE INDEX passport_wallet_address ON passport_wallet USING btree (address);

CREATE INDEX standing_1_names_name ON standing_1_names USING hash (folded_name);

CREATE INDEX standing_1_passport ON standing_1 USING btree (passport_id);

CREATE TRIGGER api_key_changed AFTER INSERT OR DELETE OR UPDATE ON api_key FOR EACH STATEMENT EXECUTE FUNCTION tell_of_keys();

CREATE TRIGGER api_key_inserted AFTER INSERT ON api_key REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_protections();

CREATE TRIGGER api_key_updated AFTER UPDATE ON api_key REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_protections();

CREATE TRIGGER credential_document_deleted AFTER DELETE ON credential_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER credential_document_updated AFTER UPDATE ON credential_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER erasure_changed AFTER UPDATE ON holder_request FOR EACH ROW WHEN (((new.action = 'erase'::text) AND (new.message IS NOT NULL) AND ((old.state IS DISTINCT FROM new.state) OR (old.was_hidden IS DISTINCT FROM new.was_hidden)))) EXECUTE FUNCTION count_erasure();

CREATE TRIGGER holder_hide_inserted AFTER INSERT ON holder_hide REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_protections();

CREATE TRIGGER holder_hide_updated AFTER UPDATE ON holder_hide REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_protections();

CREATE TRIGGER opt_out_protections AFTER INSERT ON opt_out REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_protections();

CREATE TRIGGER passport_document_deleted AFTER DELETE ON passport_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER passport_document_updated AFTER UPDATE ON passport_document REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER passport_forgets_source BEFORE UPDATE ON passport FOR EACH ROW WHEN ((NOT (old.source_digest IS DISTINCT FROM new.source_digest))) EXECUTE FUNCTION forget_source();

CREATE TRIGGER passport_visibility AFTER INSERT ON passport REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION record_visibility();

CREATE TRIGGER wallet_owner_deleted AFTER DELETE ON wallet_owner REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

CREATE TRIGGER wallet_owner_updated AFTER UPDATE ON wallet_owner REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION tell_of_people();

ALTER TABLE ONLY holder_export
    ADD CONSTRAINT holder_export_request_id_fkey FOREIGN KEY (request_id) REFERENCES holder_request(request_id) ON DELETE CASCADE;
