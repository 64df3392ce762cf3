-- Fields that V1 does not have, but that clients of the original service read. Null unless they are
-- carried.
alter table passport
  add verified boolean,
  add name text,
  add image_url text;

-- Which of them V1 sends. Changed under the lock of people. One row.
create table carried_fields (
  only_row boolean primary key default true check (only_row),
  fields text[] not null,
  -- After a change, people are presented again in the order of their ids, up to this one so far. Null:
  -- all people are.
  presented_to bigint
);

insert into carried_fields (fields) values ('{}');

-- Serving roles can read it.
do $$
declare
  serving regrole;
begin
  for serving in
    select grantee from pg_proc, aclexplode(proacl)
    where pg_proc.oid = 'fetch_export (bytea, bytea)'::regprocedure and grantee <> 0 and grantee <> proowner
  loop
    execute format('grant select on carried_fields to %s', serving);
  end loop;
end
$$;
