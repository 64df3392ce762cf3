-- Tells nodes whose answers have changed, so that they forget what they hold of them: the people of the rows as they were. New rows
-- need no word, as nothing can have been kept of them. A message holds some 400 ids; past 20,000, it says everyone.
create function tell_of_people() returns trigger language plpgsql as $$
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
  referencing old table as before for each statement execute function tell_of_people();

create trigger passport_document_deleted after delete on passport_document
  referencing old table as before for each statement execute function tell_of_people();

create trigger credential_document_updated after update on credential_document
  referencing old table as before for each statement execute function tell_of_people();

create trigger credential_document_deleted after delete on credential_document
  referencing old table as before for each statement execute function tell_of_people();

create trigger wallet_owner_updated after update on wallet_owner
  referencing old table as before for each statement execute function tell_of_people();

create trigger wallet_owner_deleted after delete on wallet_owner
  referencing old table as before for each statement execute function tell_of_people();

-- What keywords are answered from, with each epoch: standing_<epoch>_names holds every folded name once, with the ranks of those who
-- have it, and finds those that hold a keyword; standing_<epoch>_keywords holds the answers to keywords that many match, and to all of
-- one or two characters: how many they are, the ranks of the first 1,000, and then of every hundredth. These are their shapes, always
-- empty.
create table standing_names (
  folded_name text not null,
  people integer not null,
  ranks integer[] not null
);

create table standing_keywords (
  keyword text collate "C" not null,
  people integer not null,
  ranks integer[] not null,
  anchors integer[] not null
);

-- Packing them would save little and cost time at every look.
alter table standing_keywords alter column ranks set storage external;

-- Of epochs that are there already nothing can be told by keyword until the list is built anew; `credence migrate` sees to it.
do $$
declare
  old_epoch integer;
  reader text;
begin
  for old_epoch in select epoch from standing_epoch loop
    execute format('drop index standing_%s_grams', old_epoch);
    execute format('create table standing_%s_names (like standing_names including storage)', old_epoch);
    execute format('create index on standing_%s_names using hash (folded_name)', old_epoch);
    execute format('create table standing_%s_keywords (like standing_keywords including storage)', old_epoch);
    execute format('alter table standing_%s_keywords add primary key (keyword)', old_epoch);
    for reader in
      select grantee::regrole::text from pg_class, aclexplode(relacl)
      where oid = 'standing_epoch'::regclass and privilege_type = 'SELECT' and grantee not in (0, relowner)
    loop
      execute format('grant select on standing_%s_names, standing_%s_keywords to %s', old_epoch, old_epoch, reader);
    end loop;
  end loop;
end
$$;

update standing_epoch set people_change = -1 where total > 0;

-- From here on the runs of three characters only: shorter keywords have their answers in the table.
create or replace function grams (folded text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(substr(folded, start, 3)) from generate_series(1, char_length(folded) - 2) as start
$$;
