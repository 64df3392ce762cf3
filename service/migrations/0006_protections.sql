-- Protections: what a restored backup would undo. `credence export --protections` writes them to a
-- file, `credence import --protections` applies them to a restored database.

-- The last hide or show of each person, by whomever. Imports delete and insert rows of `passport`, so
-- an insert shows what changed.
create table visibility_change (
  passport_id bigint primary key,
  hidden boolean not null,
  at timestamptz not null default clock_timestamp()
);

insert into visibility_change (passport_id, hidden, at)
select passport_id, hidden, coalesce(case when hidden and action = 'unhide' then null else last.at end, now())
from passport
  left join (
    select distinct on (passport_id) passport_id, action, at from audit
    where action in ('hide', 'unhide') order by passport_id, at desc
  ) as last using (passport_id)
where hidden or action is not null;

-- Who showed a person last.
create index audit_shown on audit (passport_id, at) where action = 'unhide';

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

-- The file of a worker (PROTECTIONS_FILE): when it was last up to date, and whether this database is
-- older than the file.
alter table worker_process
  add protections_current_at timestamptz,
  add is_older_than_file boolean not null default false;

revoke execute on function record_visibility (), count_protections (), count_erasure () from public;

