-- The state of a request with its history: the states after the first, oldest first. Final states are
-- in it once they are shown. If the passport does not list the wallet, the refusal has the time from which it
-- is shown: that at which a worker looked would tell more.
drop function state_of_request;

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

revoke execute on function state_of_request (bytea) from public;

-- Serving roles keep their right to call it.
do $$
declare
  serving regrole;
begin
  for serving in
    select grantee from pg_proc, aclexplode(proacl)
    where pg_proc.oid = 'fetch_export (bytea, bytea)'::regprocedure and grantee <> 0 and grantee <> proowner
  loop
    execute format('grant execute on function state_of_request (bytea) to %s', serving);
  end loop;
end
$$;
