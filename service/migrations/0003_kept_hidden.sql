-- An import shows nobody who hid by signature, whatever its lines say. One entry per import says how
-- many people it kept hidden.
alter table audit
  alter passport_id drop not null,
  add people integer check (people > 0),
  drop constraint audit_action_check,
  add constraint audit_action_check check (
    action in ('hide', 'unhide', 'erase', 'keep hidden')
    or action in ('request', 'review', 'approve', 'refuse', 'withdraw', 'see')
  ),
  add constraint audit_subject_check check (num_nonnulls(passport_id, people) = 1);
