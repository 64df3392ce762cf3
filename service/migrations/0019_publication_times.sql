-- When latest.json was signed, and until when mirrors rely on it. Null if mirrors wait for no signature.
alter table publication
  add signed_at timestamptz,
  add signed_until timestamptz;

-- Serving roles keep their rights, and read when this server signed.
do $$
declare
  serving regrole;
begin
  for serving in
    select grantee from pg_proc, aclexplode(proacl)
    where pg_proc.oid = 'fetch_export (bytea, bytea)'::regprocedure and grantee <> 0 and grantee <> proowner
  loop
    execute format('grant select (signed_at, signed_until) on publication to %s', serving);
  end loop;
end
$$;
