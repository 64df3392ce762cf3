-- Facts: what is known of people. Every table leads with passport_id. There are no foreign keys: one operation writes these tables,
-- in one transaction, and a check per row made COPY of credentials three to four times slower.

create table passport (
  passport_id bigint primary key check (passport_id between 1 and 9007199254740991),
  activity_score double precision not null check (activity_score between 0 and 1e15),
  identity_score double precision not null check (identity_score between 0 and 1e15),
  skills_score double precision not null check (skills_score between 0 and 1e15),
  score double precision check (score between 0 and 1e15),
  calculating_score boolean not null,
  connections_count bigint not null check (connections_count between 0 and 9007199254740991),
  human_checkmark boolean not null,
  last_calculated_at timestamptz (3) check (last_calculated_at between '0001-01-01Z' and '9999-12-31 23:59:59.999Z'),
  bio text,
  display_name text,
  -- display_name without case, accents and compatibility forms; what keyword is compared with.
  folded_name text,
  location text,
  tags text[] not null,
  -- As the source said. A person merged here has merged_into as well.
  merged boolean not null,
  -- The person who absorbed this one. That person may not be stored (yet).
  merged_into bigint check (merged_into between 1 and 9007199254740991 and merged_into <> passport_id),
  hidden boolean not null default false,
  -- Digest of the line a person was imported from, valid until the row changes: an import that meets the same line again skips it.
  source_digest bytea
);

create index passport_merged_into on passport (merged_into) where merged_into is not null;

-- Any update of a person invalidates the digest, so that no writer has to remember it.
create function forget_source () returns trigger language plpgsql as $$
begin
  new.source_digest := null;
  return new;
end
$$;

create trigger passport_forgets_source before update on passport
for each row when (old.source_digest is not distinct from new.source_digest) execute function forget_source ();

-- The wallets a record lists: the main one at position 0, the verified ones from 1 in their order.
create table passport_wallet (
  passport_id bigint not null,
  position smallint not null check (position >= 0),
  address text not null,
  primary key (passport_id, position)
);

create index passport_wallet_address on passport_wallet (address);

create table social (
  passport_id bigint not null,
  position smallint not null check (position >= 1),
  follower_count text,
  following_count text,
  location text,
  profile_bio text,
  profile_display_name text,
  profile_image_url text,
  profile_name text,
  profile_url text,
  source text not null,
  primary key (passport_id, position)
);

create table credential (
  passport_id bigint not null,
  id text not null,
  earned_at text check (char_length(earned_at) <= 64),
  category text not null,
  last_calculated_at timestamptz (3) check (last_calculated_at between '0001-01-01Z' and '9999-12-31 23:59:59.999Z'),
  max_score double precision not null check (max_score between 0 and 1e15),
  score double precision not null check (score between 0 and 1e15),
  name text not null,
  type text not null,
  value text,
  primary key (passport_id, id)
);

-- Counts the transactions that changed people, so that a standing knows whether it is behind. One row.
create table people_change (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);

insert into people_change (number) values (0);

-- Documents: the exact bytes V1 sends, made from facts in the transaction that changes them. A hidden person has none.

create table passport_document (
  passport_id bigint primary key,
  -- The person as an item of the list.
  body text compression lz4 not null,
  -- What replaces the closing brace of body to make the single-passport record.
  tail text compression lz4 not null,
  -- Of the whole single-passport response.
  etag text not null,
  -- The version of the presenter that wrote the document.
  presenter integer not null
);

create table credential_document (
  passport_id bigint primary key,
  -- The whole response.
  body text compression lz4 not null,
  etag text not null,
  presenter integer not null
);

-- The passport a wallet leads to: what look-ups by wallet use. A wallet that leads to nobody stored, or to a hidden person, has no
-- row: the serving role reads this table.
create table wallet_owner (
  address text primary key,
  passport_id bigint not null
);

-- Notifies nodes of the people whose cached responses are out of date: those of the old rows. Inserts need no notice, as a missing
-- row is cached for two seconds only. A message holds some 400 ids; past 20,000 people it is empty and means everyone.
create function tell_of_people () returns trigger language plpgsql as $$
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

create trigger passport_document_updated after update on passport_document
  referencing old table as before for each statement execute function tell_of_people ();

create trigger passport_document_deleted after delete on passport_document
  referencing old table as before for each statement execute function tell_of_people ();

create trigger credential_document_updated after update on credential_document
  referencing old table as before for each statement execute function tell_of_people ();

create trigger credential_document_deleted after delete on credential_document
  referencing old table as before for each statement execute function tell_of_people ();

create trigger wallet_owner_updated after update on wallet_owner
  referencing old table as before for each statement execute function tell_of_people ();

create trigger wallet_owner_deleted after delete on wallet_owner
  referencing old table as before for each statement execute function tell_of_people ();

-- The standing: everyone listed, in order, as of one moment. Each epoch has tables of its own, standing_<epoch> and, to search it by
-- name, standing_<epoch>_names and standing_<epoch>_keywords. The highest epoch in standing_epoch is the current one.

create table standing_epoch (
  epoch integer primary key,
  total bigint not null,
  built_at timestamptz not null default now(),
  build_ms integer not null,
  people_change bigint not null
);

-- The columns of an epoch's table, its names and its keywords. These three are always empty.
create table standing (
  rank bigint not null,
  passport_id bigint not null,
  body text compression lz4 not null,
  folded_name text
);

-- Every folded name once, with the ranks of the people who have it.
create table standing_names (
  folded_name text not null,
  people integer not null,
  ranks integer[] not null
);

-- Keywords that many people match: how many, the ranks of the first 1,000, then of every hundredth.
create table standing_keywords (
  keyword text collate "C" not null,
  people integer not null,
  ranks integer[] not null,
  anchors integer[] not null
);

-- Compression would save little and cost time at every read.
alter table standing_keywords alter column ranks set storage external;

-- All runs of one to three characters of a folded name: what the index of an epoch's names holds.
create function grams (folded text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(substr(folded, start, size))
  from generate_series(1, char_length(folded)) as start, generate_series(1, 3) as size
  where start + size - 1 <= char_length(folded)
$$;

-- People removed from the list or changed in it since its last build. A build that began earlier still has the old rows, and
-- corrects them when it switches.
create table standing_correction (passport_id bigint primary key);

create table standing_1 (like standing including storage including compression);

alter table standing_1 add primary key (rank);

create index standing_1_passport on standing_1 (passport_id);

create table standing_1_names (like standing_names including storage);

create index standing_1_names_name on standing_1_names using hash (folded_name);

create table standing_1_keywords (like standing_keywords including storage);

alter table standing_1_keywords add primary key (keyword);

insert into standing_epoch (epoch, total, build_ms, people_change) values (1, 0, 0, 0);

-- The queue of recalculations. V1 shows calculating_score as true for everyone in it.
create table recalculation_due (
  passport_id bigint primary key,
  due_at timestamptz not null default now()
);

create index recalculation_due_order on recalculation_due (due_at, passport_id);

-- The ranges of ids that a recalculation of everyone has yet to queue, while there is one: ids above `after`, up to `up_to`. One row
-- has no end; small ranges are cut off it, so that several workers can queue at once.
create table recalculation_of_all (
  after bigint primary key,
  up_to bigint,
  begun_at timestamptz not null default now()
);

create unique index recalculation_of_all_rest on recalculation_of_all ((up_to is null)) where up_to is null;

-- People whose scores could not be calculated, and why. They keep the scores they had.
create table recalculation_set_aside (
  passport_id bigint primary key,
  set_aside_at timestamptz not null default now(),
  reason text not null
);

-- History of scores. `credentials` are those added, removed or changed since the change before: an array of
-- {id, name, category, from, to}, in points that counted.
create table score_change (
  passport_id bigint not null,
  changed_at timestamptz not null default now(),
  cause text not null check (cause in ('import', 'recalculation')),
  -- Credentials changed and the scores did not, so far: the next change of scores takes this record in.
  waiting boolean not null,
  from_score double precision,
  to_score double precision,
  from_activity_score double precision not null,
  to_activity_score double precision not null,
  from_identity_score double precision not null,
  to_identity_score double precision not null,
  from_skills_score double precision not null,
  to_skills_score double precision not null,
  credentials jsonb not null
);

create index score_change_passport on score_change (passport_id, changed_at);

create index score_change_waiting on score_change (passport_id) where waiting;

create index score_change_changed_at on score_change (changed_at);

-- Tombstones: people who must not be imported again. They hold an id, and wallets as keyed hashes.

create table opt_out (
  passport_id bigint primary key check (passport_id between 1 and 9007199254740991),
  opted_out_at timestamptz not null default now()
);

create table opt_out_wallet (
  -- HMAC-SHA-256 of the wallet's canonical form under OPT_OUT_KEY.
  hash bytea primary key check (octet_length(hash) = 32),
  -- The fingerprint of that key: under another one, the hash says nothing.
  key text not null,
  passport_id bigint not null,
  -- Whether the people stored when it came have been searched for it. Lines that come later always are.
  applied boolean not null default false
);

create index opt_out_wallet_passport on opt_out_wallet (passport_id);

-- What was done about single people, by an operator or by opt-outs in an import. Ids, and nothing else that identifies a person.
create table audit (
  at timestamptz not null default now(),
  action text not null check (action in ('hide', 'unhide', 'erase', 'merge', 'unmerge')),
  passport_id bigint not null,
  merged_into bigint,
  by_role text not null default session_user
);

create index audit_at on audit (at);

-- API keys. A key itself is stored nowhere: only its SHA-256. Keys are revoked, never deleted, so that a node which asks for changes
-- since its last read misses nothing.
create table api_key (
  key_id text primary key,
  -- Of the whole token, so that nothing stored can be used as one.
  hash bytea not null unique check (octet_length(hash) = 32),
  -- Issued by another server: known by its hash alone, as it does not contain its id.
  adopted boolean not null,
  label text not null,
  contact text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  changed_at timestamptz not null default now()
);

create index api_key_changed_at on api_key (changed_at);

-- Locks of writers, taken with `lock table`. Always empty. Tables and not advisory locks: anyone who may connect can take an
-- advisory lock, and only the owner of a table can lock it against others.
create table lock_people ();

create table lock_standing ();

create table lock_epochs ();

-- Functions are executable by everybody unless that is revoked.
revoke execute on function grams (text), forget_source (), tell_of_people () from public;
