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
  -- The value of the source.
  merged boolean not null,
  hidden boolean not null default false,
  -- Digest of the imported line, null after the row has changed. An import skips a line with the
  -- same digest.
  source_digest bytea
);

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
  number bigint not null,
  -- When the first change was counted that the current standing does not include. It is valid only
  -- while the standing is behind.
  unlisted_since timestamptz
);

insert into people_change (number) values (0);

-- Documents: the exact bytes of V1 responses, written in the transaction that changes the facts. A
-- hidden person has no documents.

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

-- The keys of tombstones, by fingerprint. An import protects people whose tombstones were made here
-- only with the key: without it, their wallets are not recognised.
create table opt_out_key (
  key text primary key check (octet_length(key) between 1 and 100),
  -- `unknown`: with a snapshot of another server, or here. `lost`: the operator said that nobody has it.
  origin text not null check (origin in ('here', 'unknown', 'other', 'lost')),
  last_used_at timestamptz not null default now()
);

-- Actions on single people, by an operator, by opt-outs of an import or by requests of holders. Ids
-- are the only personal data.
create table audit (
  -- Not the time of the transaction, so that its entries stay in order.
  at timestamptz not null default clock_timestamp(),
  action text not null check (
    action in ('hide', 'unhide', 'erase', 'keep hidden')
    -- Steps of a holder's request.
    or action in ('request', 'review', 'approve', 'refuse', 'withdraw', 'replace', 'see', 'unproven')
    -- An import without a key of tombstones, and a key that nobody has or that is another server's. With
    -- the number of people whose tombstones count by id only.
    or action in ('import without key', 'lost key', 'other key')
  ),
  passport_id bigint,
  by_role text not null default session_user,
  -- The holder's request that this entry belongs to.
  request_id bigint,
  people integer check (people > 0),
  requests integer check (requests > 0),
  constraint audit_subject_check check (num_nonnulls(passport_id, people, requests) = 1)
);

create index audit_at on audit (at);

-- Who showed a person last.
create index audit_shown on audit (passport_id, at) where action = 'unhide';

-- Requests of holders, each signed with a wallet of the record. The serving role uses this table only
-- through the functions below. The worker verifies every request again. A request that is refused
-- without proof loses everything that its sender wrote.
create table holder_request (
  request_id bigint generated by default as identity primary key,
  -- SHA-256 of the code on the receipt, and of the secret with which prepared data is fetched.
  code_hash bytea not null unique check (octet_length(code_hash) = 32),
  secret_hash bytea check (octet_length(secret_hash) = 32),
  passport_id bigint not null check (passport_id between 1 and 9007199254740991),
  action text not null check (action ~ '^[a-z]{1,20}$'),
  address text check (octet_length(address) between 1 and 128),
  -- The signed text.
  message text check (octet_length(message) between 1 and 4096),
  signature text check (octet_length(signature) between 1 and 1024),
  -- Closed requests stay longer than a nonce is valid, so each nonce is accepted once.
  nonce text unique check (octet_length(nonce) between 1 and 128),
  state text not null default 'received',
  -- Why the operator has to decide, or why the request was refused.
  note text check (char_length(note) <= 1000),
  received_at timestamptz not null default now(),
  -- The other people whose records the operator agreed to change.
  approved_for bigint[],
  -- Of an erasure: whether the person was hidden before, and when the grace period ends.
  was_hidden boolean,
  due_at timestamptz,
  -- When the holder withdrew the request. The worker then closes it.
  withdrawn_at timestamptz,
  completed_at timestamptz,
  -- A request that fails is tried again, later each time, and delays no other.
  attempts integer not null default 0,
  last_error text check (char_length(last_error) <= 1000),
  retry_at timestamptz not null default '-infinity',
  -- When a worker looked at it first. Then it does not count against the limits of `enqueue_request`.
  seen_at timestamptz,
  -- Each new state with its time, oldest first: [{"state": "review", "at": "…"}].
  transitions jsonb not null default '[]',
  -- What a page promised with the request: whether the operator decides on it, and the time until an
  -- erasure. The serving role writes it, so it only makes a worker more careful. When a worker accepts
  -- the request, it stores what counts from then on.
  mode text check (mode in ('on', 'review')),
  grace_seconds integer check (grace_seconds between 0 and 2592000),
  constraint holder_request_check check (
    (state in ('received', 'unverifiable', 'review', 'waiting') and completed_at is null)
    or (state in ('done', 'refused', 'withdrawn', 'replaced') and completed_at is not null)
  ),
  constraint holder_request_proof_check check (
    num_nonnulls(address, message, signature, nonce) = 4
    or (num_nonnulls(address, message, signature, nonce, secret_hash) = 0 and completed_at is not null)
  )
)
-- Under a flood, each row is updated once soon after it was inserted.
with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What no worker has looked at. `enqueue_request` counts these.
create index holder_request_unseen on holder_request (address) where seen_at is null and state = 'received';

create index holder_request_passport on holder_request (passport_id, request_id) where message is not null;

create index holder_request_completed_at on holder_request (completed_at)
  where message is not null or state <> 'refused';

create index holder_request_address on holder_request (address) where message is not null;

-- What a worker has to look at: not the requests that the operator decides on.
create index holder_request_due on holder_request (request_id)
  where completed_at is null and (state <> 'review' or withdrawn_at is not null);

-- Refused without proof: the oldest are deleted first.
create index holder_request_unproven on holder_request (request_id) where state = 'refused' and message is null;

-- The data that holders asked to see, for 24 hours.
create table holder_export (
  request_id bigint primary key references holder_request on delete cascade,
  body text not null,
  expires_at timestamptz not null
);

-- People who are hidden because they asked for it with a signature. A change of their visibility by
-- anyone else deletes the row. Imports show nobody in this table.
create table holder_hide (
  passport_id bigint primary key,
  -- The operator hid the person too, so a signature alone does not show them again.
  by_operator boolean not null default false
);

-- Stores a request, and says what happened: `stored`, `known` if the same text was sent before, or
-- `full` if too many wait for a worker. It reads nothing about people, so nobody learns who is
-- stored or hidden.
create function enqueue_request (
  new_code_hash bytea, new_secret_hash bytea, new_passport_id bigint, new_action text, new_address text, new_message text,
  new_signature text, new_nonce text, new_mode text, new_grace_seconds bigint
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from public.holder_request where code_hash = new_code_hash) then
    return 'known';
  end if;
  if (select count(*) from public.holder_request where seen_at is null and state = 'received') >= 1000 then
    return 'full';
  end if;
  -- A holder can always end what is open: requests to withdraw have a limit of their own.
  if (
    select count(*) from public.holder_request
    where seen_at is null and state = 'received' and address = new_address
      and (action = 'withdraw') = (new_action is not distinct from 'withdraw')
  ) >= (case when new_action = 'withdraw' then 10 else 3 end) then
    return 'full';
  end if;
  insert into public.holder_request
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

-- The state of a request with its history: the states after the first, oldest first. Final states are
-- in it once they are shown. If the passport does not list the wallet, the refusal has the time from which it
-- is shown: that at which a worker looked would tell more.
create function state_of_request (of_code_hash bytea)
returns table (
  action text, state text, note text, received_at timestamptz, due_at timestamptz, completed_at timestamptz,
  available_until timestamptz, history jsonb
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
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
  from public.holder_request as request
    left join public.holder_export as export on export.request_id = request.request_id and export.expires_at > now(),
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

-- Withdraws an open request. The worker closes it, and restores what it has changed. Until a refusal
-- is shown, a request counts as open here.
create function withdraw_request (of_code_hash bytea) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.holder_request set withdrawn_at = now()
  where code_hash = of_code_hash and withdrawn_at is null
    and (completed_at is null or (state = 'refused' and received_at > now() - interval '30 seconds'));
  perform pg_notify('credence_work', '');
end
$$;

-- The prepared data of a request; null without the secret, and after it expired.
create function fetch_export (of_code_hash bytea, of_secret_hash bytea) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select export.body
  from public.holder_request as request join public.holder_export as export on export.request_id = request.request_id
  where request.code_hash = of_code_hash and request.secret_hash = of_secret_hash and export.expires_at > now()
$$;

-- Every open request is counted, also erasures in their grace period. A request that a worker has seen
-- and not taken further is counted after a minute: what a worker is looking at would tell the serving
-- role which wallets are listed.
create function waiting_requests (
  out requests integer, out oldest_at timestamptz, out unverifiable integer, out erasures_overdue integer,
  out clock_refusals integer, out in_review integer, out oldest_in_review_at timestamptz, out erasures_accepted integer
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select count(*) filter (where is_left),
    min(received_at) filter (where is_left),
    count(*) filter (where state = 'unverifiable'),
    count(*) filter (where state = 'waiting' and due_at < now() - interval '5 minutes'),
    (
      select count(*) from public.holder_request
      where completed_at > now() - interval '1 day' and message is not null and note = 'A clock of the server was wrong. Sign again.'
    ),
    count(*) filter (where state = 'review'),
    min(received_at) filter (where state = 'review'),
    count(*) filter (where state = 'waiting')
  from public.holder_request,
    lateral (
      select state = 'received' and (seen_at is null or attempts > 0 or seen_at < now() - interval '1 minute') as is_left
    ) as looked_at
  where completed_at is null
$$;

-- The settings on which promises to holders depend, as processes have them: a row for all processes
-- of a kind with the same settings, and from when to when one of them was seen. By the database's
-- clock.
create table holder_settings (
  settings_id bigint generated by default as identity primary key,
  process text not null check (process in ('server', 'worker')),
  holder_requests text not null check (holder_requests in ('off', 'review', 'on')),
  erase_grace_seconds integer not null check (erase_grace_seconds between 0 and 2592000),
  public_url text not null check (octet_length(public_url) between 1 and 1000),
  -- Of each key an HMAC with this key, the newest first; of OPT_OUT_KEY too, which only workers have.
  holder_keys text not null check (octet_length(holder_keys) <= 1000),
  opt_out_key text not null default '' check (octet_length(opt_out_key) <= 100),
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  unique (process, holder_requests, erase_grace_seconds, public_url, holder_keys, opt_out_key)
);

-- A serving node says what it has. At most 50 rows of servers are kept, so that a stolen role cannot
-- fill the table.
create function report_holder_settings (
  its_holder_requests text, its_grace_seconds bigint, its_public_url text, its_holder_keys text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.holder_settings (process, holder_requests, erase_grace_seconds, public_url, holder_keys)
  values ('server', its_holder_requests, least(greatest(its_grace_seconds, 0), 2592000), its_public_url, its_holder_keys)
  on conflict (process, holder_requests, erase_grace_seconds, public_url, holder_keys, opt_out_key)
  do update set last_seen_at = now();
  delete from public.holder_settings where settings_id in (
    select settings_id from public.holder_settings where process = 'server' order by last_seen_at desc offset 50
  );
end
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
  -- The file of the worker (PROTECTIONS_FILE): when it was last up to date, and whether this database
  -- is older than the file.
  protections_current_at timestamptz,
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

-- Protections: what a restored backup would undo. `credence export --protections` writes them to a
-- file, `credence import --protections` applies them to a restored database.

-- The last hide or show of each person, by whomever. Imports delete and insert rows of `passport`, so
-- an insert shows what changed.
create table visibility_change (
  passport_id bigint primary key,
  hidden boolean not null,
  at timestamptz not null default clock_timestamp()
);

-- Counts the changes that a file of protections has to contain. One row.
create table protection_change (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);

insert into protection_change (number) values (0);

-- A hide is later than the last show, also if the clock was set back.
create function record_visibility () returns trigger language plpgsql as $$
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

create trigger passport_visibility after insert on passport
  referencing new table as after for each statement execute function record_visibility ();

create function count_protections () returns trigger language plpgsql as $$
begin
  if exists (select from changed) then
    update protection_change set number = number + 1;
  end if;
  return null;
end
$$;

create trigger opt_out_protections after insert on opt_out
  referencing new table as changed for each statement execute function count_protections ();

-- Who hid a person.
create trigger holder_hide_inserted after insert on holder_hide
  referencing new table as changed for each statement execute function count_protections ();

create trigger holder_hide_updated after update on holder_hide
  referencing new table as changed for each statement execute function count_protections ();

create trigger api_key_inserted after insert on api_key
  referencing new table as changed for each statement execute function count_protections ();

create trigger api_key_updated after update on api_key
  referencing new table as changed for each statement execute function count_protections ();

create function count_erasure () returns trigger language plpgsql as $$
begin
  update protection_change set number = number + 1;
  return null;
end
$$;

-- Not for withdrawn_at: a holder who withdraws must not wait for the counter. The worker closes the
-- request.
create trigger erasure_changed after update on holder_request for each row
  when (
    new.action = 'erase' and new.message is not null
    and (old.state, old.was_hidden) is distinct from (new.state, new.was_hidden)
  )
  execute function count_erasure ();

-- Files of protections that this database has written, or imported. A database that does not know a
-- file is older than the file, and does not overwrite it.
create table protections_file (
  file_id uuid primary key,
  written_at timestamptz,
  imported_at timestamptz,
  check (num_nonnulls(written_at, imported_at) > 0)
);

-- Hides of a file about people who are not stored. An import hides them when they arrive.
create table kept_hide (
  passport_id bigint primary key check (passport_id between 1 and 9007199254740991),
  hidden_at timestamptz not null,
  by_holder boolean not null,
  by_operator boolean not null,
  check (by_holder or by_operator)
);

-- Erasures of a file whose signed request is not stored. The person is hidden, and the operator
-- decides. A row is deleted when the person is erased or shown.
create table unsigned_erasure (
  passport_id bigint primary key check (passport_id between 1 and 9007199254740991),
  asked_at timestamptz not null
);

-- People whom a file of protections says were shown after the backup, and who are hidden here. The
-- operator decides. A row is deleted when the person is shown, hidden or erased.
create table shown_after_backup (
  passport_id bigint primary key check (passport_id between 1 and 9007199254740991)
);

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
revoke execute on function grams (text), forget_source (), tell_of_people (), tell_of_keys (), record_usage (jsonb),
  enqueue_request (bytea, bytea, bigint, text, text, text, text, text, text, bigint), state_of_request (bytea),
  withdraw_request (bytea), fetch_export (bytea, bytea), waiting_requests (),
  report_holder_settings (text, bigint, text, text), record_visibility (), count_protections (), count_erasure () from public;
