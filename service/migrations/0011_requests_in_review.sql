-- Requests that wait for the operator's decision are counted too, with the time of the oldest.
drop function waiting_requests ();

create function waiting_requests (
  out requests integer, out oldest_at timestamptz, out unverifiable integer, out erasures_overdue integer,
  out clock_refusals integer, out in_review integer, out oldest_in_review_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select count(*) filter (where state = 'received' and (seen_at is null or attempts > 0)),
    min(received_at) filter (where state = 'received' and (seen_at is null or attempts > 0)),
    count(*) filter (where state = 'unverifiable'),
    count(*) filter (where state = 'waiting' and due_at < now() - interval '5 minutes'),
    (
      select count(*) from public.holder_request
      where completed_at > now() - interval '1 day' and message is not null and note = 'A clock of the server was wrong. Sign again.'
    ),
    count(*) filter (where state = 'review'),
    min(received_at) filter (where state = 'review')
  from public.holder_request where completed_at is null
$$;

revoke execute on function waiting_requests () from public;

-- Serving roles keep their rights, so that nodes can go on while the schema is newer.
do $$
declare
  serving regrole;
begin
  for serving in
    select grantee from pg_proc, aclexplode(proacl)
    where pg_proc.oid = 'fetch_export (bytea, bytea)'::regprocedure and grantee <> 0 and grantee <> proowner
  loop
    execute format('grant execute on function waiting_requests () to %s', serving);
  end loop;
end
$$;
