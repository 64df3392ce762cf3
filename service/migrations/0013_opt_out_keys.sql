-- The keys of tombstones, by fingerprint. An import protects people whose tombstones were made here
-- only with the key: without it, their wallets are not recognised.
create table opt_out_key (
  key text primary key check (octet_length(key) between 1 and 100),
  -- `unknown`: from before this table, here or with a snapshot of another server. `lost`: the operator
  -- said that nobody has it.
  origin text not null check (origin in ('here', 'unknown', 'other', 'lost')),
  last_used_at timestamptz not null default now()
);

insert into opt_out_key (key, origin, last_used_at)
select key, 'unknown', max(opted_out_at) from opt_out_wallet join opt_out using (passport_id) group by key;

alter table audit
  drop constraint audit_action_check,
  add constraint audit_action_check check (
    action in ('hide', 'unhide', 'erase', 'keep hidden')
    or action in ('request', 'review', 'approve', 'refuse', 'withdraw', 'replace', 'see', 'unproven')
    -- An import without a key of tombstones, and a key that nobody has or that is another server's. With
    -- the number of people whose tombstones count by id only.
    or action in ('import without key', 'lost key', 'other key')
  );
