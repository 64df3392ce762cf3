-- When the first change of people was counted that the current standing does not include. It is valid
-- only while the standing is behind.
alter table people_change add unlisted_since timestamptz;

-- Serving roles can read it.
do $$
declare
  serving regrole;
begin
  for serving in
    select grantee from pg_proc, aclexplode(proacl)
    where pg_proc.oid = 'fetch_export (bytea, bytea)'::regprocedure and grantee <> 0 and grantee <> proowner
  loop
    execute format('grant select on people_change to %s', serving);
  end loop;
end
$$;
