-- Whether the operator or the holder hid a person here too: if the publisher shows them again, they stay
-- hidden.
alter table mirror_absent add hidden_here boolean not null default false;

alter table mirror_of
  -- `continues` of the last valid latest.json.
  add continues timestamptz,
  -- People whom the last snapshot lacks and whose records stay until the operator has decided.
  add held_people integer not null default 0,
  -- The operator's right to go on with the data after the take-over, in their own words.
  add take_over_basis text check (char_length(take_over_basis) between 1 and 1000);

alter table audit
  drop constraint audit_action_check,
  add constraint audit_action_check check (
    action in ('hide', 'unhide', 'erase', 'merge', 'unmerge', 'keep hidden')
    or action in ('request', 'review', 'approve', 'refuse', 'withdraw', 'replace', 'see', 'unproven')
    or action in ('import without key', 'lost key', 'other key')
    or action = 'allow'
    -- Of a mirror, with the number of people stored.
    or action = 'take over'
  );

-- Serving roles keep their rights.
do $$
declare
  serving regrole;
begin
  for serving in
    select grantee from pg_proc, aclexplode(proacl)
    where pg_proc.oid = 'fetch_export (bytea, bytea)'::regprocedure and grantee <> 0 and grantee <> proowner
  loop
    execute format('grant select (held_people) on mirror_of to %s', serving);
  end loop;
end
$$;
