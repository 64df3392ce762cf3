-- Requests of holders: each request is stored with the same work, whomever it is about, and a worker
-- applies all rules. A request that is refused without proof loses everything that its sender wrote.
drop table holder_request_decoy;

drop function enqueue_request;

drop index holder_request_open, holder_request_passport, holder_request_due, holder_request_completed_at;

alter table holder_request
  alter address drop not null,
  alter message drop not null,
  alter signature drop not null,
  alter nonce drop not null,
  -- When a worker looked at it first. Then it does not count against the limits of `enqueue_request`.
  add seen_at timestamptz,
  -- Each new state with its time, oldest first: [{"state": "review", "at": "…"}].
  add transitions jsonb not null default '[]',
  -- A serving node may be newer than the worker, and know more actions.
  drop constraint holder_request_action_check,
  add constraint holder_request_action_check check (action ~ '^[a-z]{1,20}$'),
  drop constraint holder_request_check,
  add constraint holder_request_check check (
    (state in ('received', 'unverifiable', 'review', 'waiting') and completed_at is null)
    or (state in ('done', 'refused', 'withdrawn', 'replaced') and completed_at is not null)
  ),
  add constraint holder_request_proof_check check (
    num_nonnulls(address, message, signature, nonce) = 4
    or (num_nonnulls(address, message, signature, nonce, secret_hash) = 0 and completed_at is not null)
  ),
  -- Under a flood, each row is updated once soon after it was inserted.
  set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- The operator hid the person too, so a signature alone does not show them again. Imports show nobody
-- in this table.
alter table holder_hide add by_operator boolean not null default false;

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

-- Stores a request, and says what happened: `stored`, `known` if the same text was sent before, or
-- `full` if too many wait for a worker. It reads nothing about people, so nobody learns who is
-- stored or hidden.
create function enqueue_request (
  new_code_hash bytea, new_secret_hash bytea, new_passport_id bigint, new_action text, new_address text, new_message text,
  new_signature text, new_nonce text
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
  insert into public.holder_request (code_hash, secret_hash, passport_id, action, address, message, signature, nonce)
  values (new_code_hash, new_secret_hash, new_passport_id, new_action, new_address, new_message, new_signature, new_nonce)
  on conflict do nothing;
  if not found then
    return 'known';
  end if;
  perform pg_notify('credence_work', '');
  return 'stored';
end
$$;

-- The state of a request, without the person. No row if the code is unknown. A refusal is shown 30
-- seconds after the request at the earliest, so that its time does not tell the reason.
create or replace function state_of_request (of_code_hash bytea)
returns table (
  action text, state text, note text, received_at timestamptz, due_at timestamptz, completed_at timestamptz,
  available_until timestamptz
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select request.action,
    case
      when request.withdrawn_at is not null and (not is_shown or is_unproven) then 'withdrawn'
      when is_shown then request.state
      else 'received'
    end,
    case when is_shown and not (is_unproven and request.withdrawn_at is not null) then request.note end,
    request.received_at,
    request.due_at,
    case when is_shown and not is_unproven then request.completed_at end,
    export.expires_at
  from public.holder_request as request
    left join public.holder_export as export on export.request_id = request.request_id and export.expires_at > now(),
    lateral (
      select case
        when request.completed_at is null then request.withdrawn_at is null
        else request.state <> 'refused' or request.received_at <= now() - interval '30 seconds'
      end as is_shown,
      request.state = 'refused' and request.message is null as is_unproven
    ) as visibility
  where request.code_hash = of_code_hash
$$;

-- Withdraws an open request. The worker closes it, and restores what it has changed. Until a refusal
-- is shown, a request counts as open here.
create or replace function withdraw_request (of_code_hash bytea) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.holder_request set withdrawn_at = now()
  where code_hash = of_code_hash and withdrawn_at is null
    and (completed_at is null or (state = 'refused' and received_at > now() - interval '30 seconds'));
  perform pg_notify('credence_work', '');
end
$$;

-- What waits, for operators. Requests that no worker has looked at, or whose step failed, and the
-- oldest of them; requests that cannot be verified; erasures that are overdue by five minutes;
-- requests of the last day that were refused because a clock was wrong.
create function waiting_requests (
  out requests integer, out oldest_at timestamptz, out unverifiable integer, out erasures_overdue integer,
  out clock_refusals integer
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select count(*) filter (where state = 'received' and (seen_at is null or attempts > 0)),
    min(received_at) filter (where state = 'received' and (seen_at is null or attempts > 0)),
    count(*) filter (where state = 'unverifiable'),
    count(*) filter (where state = 'waiting' and due_at < now() - interval '5 minutes'),
    (
      select count(*) from public.holder_request
      where completed_at > now() - interval '1 day' and message is not null and note = 'A clock of the server was wrong. Sign again.'
    )
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
  erasures_overdue integer not null default 0
);

alter table audit
  add requests integer check (requests > 0),
  drop constraint audit_subject_check,
  add constraint audit_subject_check check (num_nonnulls(passport_id, people, requests) = 1),
  drop constraint audit_action_check,
  add constraint audit_action_check check (
    action in ('hide', 'unhide', 'erase', 'keep hidden')
    or action in ('request', 'review', 'approve', 'refuse', 'withdraw', 'replace', 'see', 'unproven')
  );

revoke execute on function enqueue_request (bytea, bytea, bigint, text, text, text, text, text), waiting_requests () from public;

-- Serving roles keep their rights, so that nodes can go on while the schema is newer.
do $$
declare
  serving regrole;
begin
  for serving in
    select grantee from pg_proc, aclexplode(proacl)
    where pg_proc.oid = 'fetch_export (bytea, bytea)'::regprocedure and grantee <> 0 and grantee <> proowner
  loop
    execute format(
      'grant execute on function enqueue_request (bytea, bytea, bigint, text, text, text, text, text), waiting_requests () to %1$s; grant select on worker_process to %1$s',
      serving
    );
  end loop;
end
$$;
