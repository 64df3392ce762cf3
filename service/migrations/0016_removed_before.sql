-- People who were removed because of a wallet of somebody else, before this was recorded: they have an
-- entry of their erasure, and no tombstone.
insert into removed_with_another (passport_id, origin)
select distinct passport_id, 'here' from audit
where action = 'erase' and passport_id is not null
  and not exists (select from opt_out where opt_out.passport_id = audit.passport_id)
on conflict do nothing;

alter table audit
  drop constraint audit_action_check,
  add constraint audit_action_check check (
    action in ('hide', 'unhide', 'erase', 'merge', 'unmerge', 'keep hidden')
    or action in ('request', 'review', 'approve', 'refuse', 'withdraw', 'replace', 'see', 'unproven')
    or action in ('import without key', 'lost key', 'other key')
    -- The operator lets imports bring a removed person back.
    or action = 'allow'
  );
