-- Facts about people. The first column of every table is passport_id. There are no foreign keys:
-- one operation writes these tables, in one transaction. Measured: with foreign keys, COPY of
-- credentials is 3 to 4 times slower.

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
  -- display_name without case, accents and compatibility forms. Keywords are compared with it.
  folded_name text,
  location text,
  tags text[] not null,
  -- The value of the source. A person who was merged by an operator also has merged_into.
  merged boolean not null,
  -- The survivor of the merge. It may not be stored (yet).
  merged_into bigint check (merged_into between 1 and 9007199254740991 and merged_into <> passport_id),
  hidden boolean not null default false,
  -- Digest of the imported line, null after the row has changed. An import skips a line with the
  -- same digest.
  source_digest bytea
);

create index passport_merged_into on passport (merged_into) where merged_into is not null;

-- Every update of a person invalidates the digest.
create function forget_source () returns trigger language plpgsql as $$
begin
  new.source_digest := null;
  return new;
end
$$;

create trigger passport_forgets_source before update on passport
for each row when (old.source_digest is not distinct from new.source_digest) execute function forget_source ();

-- The wallets of a passport: main_wallet at position 0, verified_wallets from position 1.
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

-- Counts the transactions that changed people. A standing with a lower number is out of date. One
-- row.
create table people_change (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);

insert into people_change (number) values (0);

-- Documents: the exact bytes of V1 responses, written in the transaction that changes the facts. A
-- hidden person has no documents.

create table passport_document (
  passport_id bigint primary key,
  -- The item of the list.
  body text compression lz4 not null,
  -- Replaces the closing brace of body to form the single-passport record.
  tail text compression lz4 not null,
  -- The ETag of the complete single-passport response.
  etag text not null,
  -- The version of the presenter that wrote the document.
  presenter integer not null
);

create table credential_document (
  passport_id bigint primary key,
  -- The complete response.
  body text compression lz4 not null,
  etag text not null,
  presenter integer not null
);

-- The owners of wallets, for look-ups by wallet. The serving role reads this table, so a wallet
-- without a stored owner, or with a hidden owner, has no row.
create table wallet_owner (
  address text primary key,
  passport_id bigint not null
);

-- Sends invalidation notices with the ids of the old rows. Inserts need no notice: a missing row is
-- cached for two seconds only. A notice contains about 400 ids. For more than 20,000 people, one
-- empty notice invalidates everything.
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

-- The standing: the ranked snapshot of all listed people. Each epoch has its own tables:
-- standing_<epoch>, and for the search by name standing_<epoch>_names and
-- standing_<epoch>_keywords. The highest epoch in standing_epoch is the current one.

create table standing_epoch (
  epoch integer primary key,
  total bigint not null,
  built_at timestamptz not null default now(),
  build_ms integer not null,
  people_change bigint not null
);

-- The next three tables define the columns of an epoch's tables. They are always empty.
create table standing (
  rank bigint not null,
  passport_id bigint not null,
  body text compression lz4 not null,
  folded_name text
);

-- The distinct folded names, with the ranks of the people who have them.
create table standing_names (
  folded_name text not null,
  people integer not null,
  ranks integer[] not null
);

-- Heavy keywords: how many people match, the ranks of the first 1,000, then of every hundredth.
create table standing_keywords (
  keyword text collate "C" not null,
  people integer not null,
  ranks integer[] not null,
  anchors integer[] not null
);

-- Compression saves little space and slows down every read.
alter table standing_keywords alter column ranks set storage external;

-- Returns all runs of one to three characters of a folded name, for the index of an epoch's names.
create function grams (folded text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(substr(folded, start, size))
  from generate_series(1, char_length(folded)) as start, generate_series(1, 3) as size
  where start + size - 1 <= char_length(folded)
$$;

-- People who were changed in the standing, or removed from it, since its last build. A build that
-- is running contains their old rows, and corrects them before it becomes current.
create table standing_correction (passport_id bigint primary key);

create table standing_1 (like standing including storage including compression);

alter table standing_1 add primary key (rank);

create index standing_1_passport on standing_1 (passport_id);

create table standing_1_names (like standing_names including storage);

create index standing_1_names_name on standing_1_names using hash (folded_name);

create table standing_1_keywords (like standing_keywords including storage);

alter table standing_1_keywords add primary key (keyword);

insert into standing_epoch (epoch, total, build_ms, people_change) values (1, 0, 0, 0);

-- The queue of recalculations. V1 shows calculating_score as true for these people.
create table recalculation_due (
  passport_id bigint primary key,
  due_at timestamptz not null default now()
);

create index recalculation_due_order on recalculation_due (due_at, passport_id);

-- The ranges of ids that a recalculation of all people has not queued yet: ids above `after`, up to
-- `up_to`. One row has no end. Workers split small ranges off it, so that several can queue at
-- once.
create table recalculation_of_all (
  after bigint primary key,
  up_to bigint,
  begun_at timestamptz not null default now()
);

create unique index recalculation_of_all_rest on recalculation_of_all ((up_to is null)) where up_to is null;

-- People whose recalculation failed, and the reason. Their scores do not change.
create table recalculation_set_aside (
  passport_id bigint primary key,
  set_aside_at timestamptz not null default now(),
  reason text not null
);

-- History of scores. `credentials` lists the credentials that were added, removed or changed since
-- the previous record: an array of {id, name, category, from, to}, in counted points.
create table score_change (
  passport_id bigint not null,
  changed_at timestamptz not null default now(),
  cause text not null check (cause in ('import', 'recalculation')),
  -- The credentials changed, but the scores have not changed yet. The next change of the scores
  -- includes this record.
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

-- Tombstones: people who must not be imported again. They contain ids and keyed hashes of wallets.

create table opt_out (
  passport_id bigint primary key check (passport_id between 1 and 9007199254740991),
  opted_out_at timestamptz not null default now()
);

create table opt_out_wallet (
  -- HMAC-SHA-256 of the wallet's canonical form under OPT_OUT_KEY.
  hash bytea primary key check (octet_length(hash) = 32),
  -- The fingerprint of that key. Hashes under different keys cannot be compared.
  key text not null,
  passport_id bigint not null,
  -- Whether the people stored before this opt-out have been searched for it. Later imports always
  -- check it.
  applied boolean not null default false
);

create index opt_out_wallet_passport on opt_out_wallet (passport_id);

-- Actions on single people, by an operator or by opt-outs of an import. Ids are the only personal
-- data.
create table audit (
  at timestamptz not null default now(),
  action text not null check (action in ('hide', 'unhide', 'erase', 'merge', 'unmerge')),
  passport_id bigint not null,
  merged_into bigint,
  by_role text not null default session_user
);

create index audit_at on audit (at);

-- API keys. Only the SHA-256 of a key is stored. Keys are revoked, never deleted: nodes read only
-- the keys that changed since their last read.
create table api_key (
  key_id text primary key,
  -- The hash of the complete token. No stored value can be used as a token.
  hash bytea not null unique check (octet_length(hash) = 32),
  -- Issued by another server. Such a token does not contain key_id and is found by its hash.
  adopted boolean not null,
  label text not null,
  contact text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  changed_at timestamptz not null default now()
);

create index api_key_changed_at on api_key (changed_at);

-- Locks of writers, taken with `lock table`. Always empty. Advisory locks would not be safe: every
-- role that can connect can take them, but only the owner of a table can lock it against others.
create table lock_people ();

create table lock_standing ();

create table lock_epochs ();

-- PostgreSQL grants execute on new functions to public.
revoke execute on function grams (text), forget_source (), tell_of_people () from public;
