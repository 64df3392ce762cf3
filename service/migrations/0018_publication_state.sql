-- What the newest published snapshot has: its folder, and the counters of people_change at its moment.
-- It is replaced when they differ from the present ones.
alter table publication
  add snapshot text,
  add people_change bigint,
  add removals bigint;
