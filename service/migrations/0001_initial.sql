-- Facts about people: what a source said. An import replaces the facts of a person as a whole. There
-- are no foreign keys: one operation writes these tables, in one transaction, and with foreign keys
-- COPY is 3 to 4 times slower.

create table person (
  passport_id bigint primary key check (passport_id between 1 and 9007199254740991),
  -- The columns from here to digest are derived from the line.
  score double precision check (score between 0 and 1e15),
  last_calculated_at timestamptz (3) check (last_calculated_at between '0001-01-01Z' and '9999-12-31 23:59:59.999Z'),
  -- display_name without case, accents and compatibility forms. Keywords are compared with it.
  folded_name text,
  merged boolean not null,
  -- The number of credentials.
  credentials integer not null,
  -- The source names a main wallet of an erased person. The record has none here.
  lost_main boolean not null default false,
  -- Digest of the imported line. An import skips a line with the same digest. Null if the stored line
  -- is another one: a wallet of an erased person was removed.
  digest bytea,
  -- The person in canonical form: the two documents of V1, joined. Not jsonb, which loses the form of
  -- V1, and makes an import take a quarter more CPU.
  line json not null
)
-- Without it, two thirds of the lines stay in the row, and a build of the list reads twice the pages.
with (toast_tuple_target = 128);

-- Statistics of the planner would contain lines, also of erased people.
alter table person alter column line set statistics 0;

-- The wallets of the lines.
create table person_wallet (
  address text not null,
  passport_id bigint not null,
  is_main boolean not null,
  primary key (address, passport_id)
);

create index person_wallet_passport on person_wallet (passport_id);

-- Addresses that may be another spelling of an address: not the usual forms of EVM, base58 and bech32.
create index person_wallet_odd on person_wallet (address)
  where address !~ '^(0x[0-9a-f]+|[1-9A-HJ-NP-Za-km-z]{25,64}|[a-z0-9]+1[02-9ac-hj-np-z]{6,})$'
    or address ~ '^[0-9a-fA-F]{40}$';

-- Counts the transactions that changed people. A standing with a lower number is out of date. One
-- row.
create table people_change (
  only_row boolean primary key default true check (only_row),
  number bigint not null,
  -- When the first change was counted that the current standing does not include. It is valid only
  -- while the standing is behind.
  unlisted_since timestamptz
);

insert into people_change (number) values (0);

-- Documents: the exact bytes of V1 responses, written in the transaction that changes the facts, or
-- decides. A person has documents exactly if they are shown.

create table passport_document (
  passport_id bigint primary key,
  -- The item of the list.
  body text not null,
  -- Replaces the closing brace of body to form the single-passport record.
  tail text not null,
  -- The ETag of the complete single-passport response.
  etag text not null,
  -- The version of the presenter that wrote the document.
  presenter integer not null
);

create table credential_document (
  passport_id bigint primary key,
  -- The complete response.
  body text not null,
  etag text not null,
  presenter integer not null
);

-- The owners of wallets, for look-ups by wallet. The serving role reads this table, so a wallet that
-- only hidden records list has no row.
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
  people_change bigint not null,
  -- The dates of the newest and the oldest score in the list; null if no score has one.
  newest_score_at timestamptz,
  oldest_score_at timestamptz,
  -- How the scores are distributed, for pages: null with fewer than 20 scores. The width of a bin in
  -- points: 1, 2 or 5 times a power of ten.
  score_step double precision,
  -- People in 20 bins from 0 on, and in one for the rest.
  score_bins integer[],
  -- The score that 1 %, 2 %, … 99 % of the scores do not exceed.
  score_cuts double precision[]
);

-- The next three tables define the columns of an epoch's tables. They are always empty.
create table standing (
  rank bigint not null,
  -- Null for a person who was removed since the build.
  passport_id bigint,
  score double precision,
  body text,
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

-- The ledger: what an operator or a holder decided here. Rows are appended, and never changed. It does
-- not care whether the person is stored, so it is also the memory of erasures, and the audit log.

create table decision (
  decision_id uuid primary key default gen_random_uuid(),
  -- For people who read it. What holds follows from decision_end, never from a clock.
  decided_at timestamptz not null default clock_timestamp(),
  action text not null,
  decided_by text not null check (decided_by in ('operator', 'holder', 'worker')),
  by_role text not null default session_user,
  passport_id bigint check (passport_id between 1 and 9007199254740991),
  -- Of an API key its id, of a given up OPT_OUT_KEY its fingerprint.
  key_id text check (octet_length(key_id) between 1 and 64),
  -- erase: not before. expire key: when.
  due_at timestamptz,
  -- The request of a holder that it belongs to.
  request uuid,
  -- It came in a file that no key of ours authenticates. It hides and keeps out, ends no decision of
  -- ours, and deletes nothing.
  is_foreign boolean not null default false,
  constraint decision_subject check (
    case
      when action in ('hide', 'show', 'erase', 'refuse', 'erased', 'allow') then passport_id is not null and key_id is null
      -- Steps of a holder's request: they change nothing.
      when action in ('review', 'approve') then passport_id is not null and key_id is null and request is not null
      when action in ('revoke key', 'expire key', 'give up key') then key_id is not null and passport_id is null
      -- A file of decisions was imported after a restore: no erasure is carried out for a grace period.
      else action = 'restore' and passport_id is null and key_id is null
    end
  ),
  constraint decision_due check ((due_at is not null) = (action in ('erase', 'expire key'))),
  constraint decision_foreign check (not is_foreign or passport_id is not null)
);

create index decision_passport on decision (passport_id) where passport_id is not null;

create index decision_decided_at on decision (decided_at);

create index decision_request on decision (request) where request is not null;

-- The decisions that a decision ends. The ended one may arrive later, so it is no reference.
create table decision_end (
  ended uuid not null,
  decision_id uuid not null references decision,
  primary key (ended, decision_id)
);

create index decision_end_decision on decision_end (decision_id);

-- The wallets that a record listed when it was erased: HMAC-SHA-256 under the key of OPT_OUT_KEY with
-- this fingerprint.
create table decision_wallet (
  hash bytea not null check (octet_length(hash) = 32),
  decision_id uuid not null references decision,
  key text not null check (key ~ '^[0-9a-f]{16}$'),
  primary key (hash, decision_id)
);

create index decision_wallet_decision on decision_wallet (decision_id);

-- Only foreign rows can be deleted: the same decision in a file of ours replaces them.
create function keep_decision () returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (select from decision where decision_id = old.decision_id and is_foreign) then
    return old;
  end if;
  raise exception 'a decision is never changed or deleted: append one that ends it' using errcode = 'restrict_violation';
end
$$;

create trigger decision_kept before update or delete on decision for each row execute function keep_decision ();

create trigger decision_end_kept before update or delete on decision_end for each row execute function keep_decision ();

create trigger decision_wallet_kept before update or delete on decision_wallet for each row execute function keep_decision ();

-- A decision that hides holds until another decision ends it by naming it. A foreign one cannot end ours.
create view decision_in_force as
  select decision.* from decision
  where action in ('hide', 'erase', 'erased') and not exists (
    select from decision_end join decision as later on later.decision_id = decision_end.decision_id
    where decision_end.ended = decision.decision_id and (decision.is_foreign or not later.is_foreign)
  );

-- Why a person is not shown. People without a row are shown.
create view person_state as
  select passport_id,
    bool_or(action = 'hide' and decided_by <> 'holder') as hidden_by_operator,
    bool_or(action = 'hide' and decided_by = 'holder') as hidden_by_holder,
    -- Asked to be erased.
    bool_or(action = 'erase') as erasing,
    -- No import brings the person back.
    bool_or(action = 'erased') as erased,
    -- Erased by a decision of another authority only: the facts stay stored.
    bool_and(action <> 'erased' or is_foreign) as keeps_facts
  from decision_in_force group by passport_id;

-- Requests of holders, each a text signed with a wallet. It names no passport: it is about the records
-- with this wallet. The serving role uses this table only through the functions below. A worker verifies
-- every request again.
create table holder_request (
  request_id bigint generated by default as identity primary key,
  -- Its name in decisions: a number could be given again after a restore.
  request uuid not null unique default gen_random_uuid(),
  -- SHA-256 of the code in the address of the request's page.
  code_hash bytea not null unique check (octet_length(code_hash) = 32),
  wish text not null check (wish in ('hide', 'show', 'erase')),
  address text check (octet_length(address) between 1 and 128),
  -- The signed text.
  message text check (octet_length(message) between 1 and 4096),
  signature text check (octet_length(signature) between 1 and 1024),
  -- Closed requests stay longer than a nonce is valid, so each nonce is accepted once.
  nonce text unique check (octet_length(nonce) between 1 and 128),
  state text not null default 'received',
  -- For the holder: why the operator has to decide, or why the request was refused.
  note text check (char_length(note) <= 1000),
  received_at timestamptz not null default now(),
  -- The records that it is about, once a worker has verified it.
  passport_ids bigint[] not null default '{}',
  -- The records that the operator agreed to change, or to take wallets from.
  approved_for bigint[],
  -- Of an erasure that waits: when the grace period ends.
  due_at timestamptz,
  completed_at timestamptz,
  -- A request that fails is tried again, later each time, and delays no other.
  attempts integer not null default 0,
  last_error text check (char_length(last_error) <= 1000),
  retry_at timestamptz not null default '-infinity',
  constraint holder_request_state check (
    (state in ('received', 'review', 'waiting') and completed_at is null)
    or (state in ('done', 'refused') and completed_at is not null)
  ),
  -- An erasure forgets what its holder signed before.
  constraint holder_request_proof check (
    num_nonnulls(address, message, signature, nonce) = 4
    or (num_nonnulls(address, message, signature, nonce) = 0 and completed_at is not null)
  )
)
-- Under a flood, each row is updated once soon after it was inserted.
with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

create index holder_request_open on holder_request (request_id) where completed_at is null;

create index holder_request_address on holder_request (address) where address is not null;

create index holder_request_completed_at on holder_request (completed_at);

-- Stores a request, and says what happened: `stored`, `known` if the same text was sent before, or
-- `full` if too many wait for a worker. It reads nothing about people.
create function enqueue_request (
  new_code_hash bytea, new_wish text, new_address text, new_message text, new_signature text, new_nonce text
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from public.holder_request where code_hash = new_code_hash) then
    return 'known';
  end if;
  if (select count(*) from public.holder_request where completed_at is null and state = 'received') >= 1000
    or (select count(*) from public.holder_request where address = new_address and state = 'received') >= 3
  then
    return 'full';
  end if;
  insert into public.holder_request (code_hash, wish, address, message, signature, nonce)
  values (new_code_hash, new_wish, new_address, new_message, new_signature, new_nonce)
  on conflict do nothing;
  if not found then
    return 'known';
  end if;
  perform pg_notify('credence_work', '');
  return 'stored';
end
$$;

-- The states of requests by the hashes of their codes, which nobody can guess.
create function states_of_requests (of_code_hashes bytea[])
returns table (
  code_hash bytea, wish text, state text, note text, received_at timestamptz, due_at timestamptz,
  completed_at timestamptz, passport_ids bigint[], address text
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select request.code_hash, request.wish, request.state, request.note, request.received_at, request.due_at,
    request.completed_at, request.passport_ids, request.address
  from public.holder_request as request where request.code_hash = any (of_code_hashes)
$$;

-- What waits, with the oldest. An erasure is overdue five minutes after its time.
create function waiting_requests (
  out requests integer, out oldest_at timestamptz, out in_review integer, out oldest_in_review_at timestamptz,
  out erasures_accepted integer, out erasures_overdue integer
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select count(*) filter (where state = 'received'),
    min(received_at) filter (where state = 'received'),
    count(*) filter (where state = 'review'),
    min(received_at) filter (where state = 'review'),
    count(*) filter (where state = 'waiting'),
    count(*) filter (where state = 'waiting' and due_at < now() - interval '5 minutes')
  from public.holder_request where completed_at is null
$$;

-- Worker processes, and what each saw last. By the database's clock. A worker deletes its row when it
-- ends.
create table worker_process (
  worker_id uuid primary key default gen_random_uuid(),
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  -- Whether it verifies requests (HOLDER_REQUESTS, HOLDER_KEY), and erases (OPT_OUT_KEY).
  verifies boolean not null,
  erases boolean not null,
  requests_waiting integer not null default 0,
  oldest_waiting_at timestamptz,
  erasures_overdue integer not null default 0,
  -- The file of the worker (DECISIONS_FILE): when it was last up to date, and whether this database
  -- lacks decisions of it.
  file_current_at timestamptz,
  is_older_than_file boolean not null default false
);

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
  -- Points per 10 seconds; null for the default.
  points_limit integer check (points_limit > 0),
  -- Until then every request with this key gets 410, to rehearse the end of V1.
  rehearsed_until timestamptz,
  changed_at timestamptz not null default now()
);

create index api_key_changed_at on api_key (changed_at);

-- Notifies every node that keys have changed.
create function tell_of_keys () returns trigger language plpgsql as $$
begin
  perform pg_notify('credence_people', 'keys');
  return null;
end
$$;

create trigger api_key_changed after insert or update or delete on api_key
  for each statement execute function tell_of_keys ();

-- Usage: requests of V1 and of pages about people, by day (UTC), client, endpoint and status.
create table usage_count (
  day date not null,
  -- A key_id, `anonymous` or `unknown key`.
  client text not null,
  endpoint text not null check (
    endpoint in ('/api/v1/passports', '/api/v1/passports/:id', '/api/v1/passport_credentials')
    -- Pages about people.
    or endpoint in ('/', '/leaderboard', '/search', '/passports/:id', '/compare', '/badge/:file')
  ),
  -- The class of the status. 401, 410 and 429 are counted separately, so 4xx is the rest.
  status text not null check (status in ('2xx', '3xx', '401', '410', '429', '4xx', '5xx')),
  requests bigint not null check (requests between 1 and 9007199254740991),
  last_at timestamptz not null,
  primary key (day, client, endpoint, status)
);

-- What identifies clients without a valid key, by day: the most frequent values of each kind. An
-- unknown key is stored as SHA-256. The value of `key in URL` is the client, as in usage_count.
create table usage_mark (
  day date not null,
  kind text not null check (kind in ('user agent', 'origin', 'parameter', 'unknown key', 'key in URL', 'path')),
  value text collate "C" not null check (
    value ~ '^[ -~]{1,128}$' and value !~* 'crd_'
    and (kind <> 'parameter' or value ~ '^[A-Za-z0-9_-]{1,32}$')
    and (kind <> 'unknown key' or value ~ '^[0-9a-f]{64}$')
  ),
  requests bigint not null check (requests between 1 and 9007199254740991),
  last_at timestamptz not null,
  primary key (day, kind, value),
  -- A path that clients ask for, also if nothing is served there, has no wallets and no names: its
  -- segments are words, or `*`.
  constraint usage_mark_path_check check (kind <> 'path' or value ~ '^/$|^(/([a-z0-9_-]{1,32}|[*])){1,5}$')
);

-- The last batch that each node has written. A node repeats a batch if it does not know whether
-- the batch was committed.
create table usage_batch (
  node uuid primary key,
  sequence bigint not null check (sequence between 1 and 9007199254740991),
  written_at timestamptz not null default now()
);

-- Makes record_usage run once at a time: two upserts of the same rows could deadlock.
create table lock_usage ();

-- Adds a batch of counts, and returns how many of its requests were added; null if the batch was
-- added before. Rows of other days or of unknown clients are ignored. The serving role can write
-- only through this function and those of requests, so all input is checked here or by constraints.
create function record_usage (batch jsonb) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
  lock table public.lock_usage in exclusive mode;
  delete from public.usage_batch where written_at < now() - interval '4 days';
  insert into public.usage_batch as stored (node, sequence)
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
      and (client in ('anonymous', 'unknown key') or exists (select from public.api_key where key_id = client))
    group by day, client, endpoint, status
  ), written as (
    insert into public.usage_count as stored (day, client, endpoint, status, requests, last_at)
    select day, client, endpoint, status, requests, last_at from incoming
    on conflict (day, client, endpoint, status) do update set
      requests = least(stored.requests + excluded.requests, max_count),
      last_at = greatest(stored.last_at, excluded.last_at)
  )
  select coalesce(sum(requests), 0) from incoming into added;

  insert into public.usage_mark as stored (day, kind, value, requests, last_at)
  select day, kind, value, least(sum(requests), max_count), now()
  from jsonb_to_recordset(batch -> 'marks') as mark (day date, kind text, value text, requests bigint)
  where day between today - 2 and today + 1 and requests between 1 and max_count
  group by day, kind, value
  on conflict (day, kind, value) do update set
    requests = least(stored.requests + excluded.requests, max_count), last_at = now();

  -- More than are reported, so that a value that becomes frequent during the day is not lost.
  delete from public.usage_mark as mark
  using (
    select day, kind, value, row_number() over (partition by day, kind order by requests desc, value) as place
    from public.usage_mark where day between today - 2 and today + 1
  ) as ranked
  where ranked.place > 500 and mark.day = ranked.day and mark.kind = ranked.kind and mark.value = ranked.value;
  return added;
end
$$;

-- Locks of writers, taken with `lock table`. Always empty. Advisory locks would not be safe: every
-- role that can connect can take them, but only the owner of a table can lock it against others.
create table lock_people ();

create table lock_standing ();

create table lock_epochs ();

-- PostgreSQL grants execute on new functions to public.
revoke execute on function grams (text), tell_of_people (), keep_decision (), tell_of_keys (), record_usage (jsonb),
  enqueue_request (bytea, text, text, text, text, text), states_of_requests (bytea[]), waiting_requests () from public;
