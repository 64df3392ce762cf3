-- The queue: whose scores are to be worked out anew. V1 shows calculating_score as true for everyone in it.
create table recalculation_due (
  passport_id bigint primary key,
  due_at timestamptz not null default now()
);

create index recalculation_due_order on recalculation_due (due_at, passport_id);

-- Whom a recalculation of everyone has yet to queue, while there is one: those with ids above `after`, up to `up_to`. One row
-- has no end; small pieces are cut off it, so that several workers can queue at once.
create table recalculation_of_all (
  after bigint primary key,
  up_to bigint,
  begun_at timestamptz not null default now()
);

create unique index recalculation_of_all_rest on recalculation_of_all ((up_to is null)) where up_to is null;

-- Whose scores could not be worked out, and why. They keep the scores they had.
create table recalculation_set_aside (
  passport_id bigint primary key,
  set_aside_at timestamptz not null default now(),
  reason text not null
);

-- What changed a person's scores, and from what to what. `credentials` tells which of them came, went or changed since the
-- change before: an array of {id, name, category, from, to}, in points that counted.
create table score_change (
  passport_id bigint not null,
  changed_at timestamptz not null default now(),
  cause text not null check (cause in ('import', 'recalculation')),
  -- Credentials changed and the scores did not, so far: the next change of scores takes this record in.
  waiting boolean not null,
  from_score double precision,
  to_score double precision,
  from_activity_score double precision not null,
  to_activity_score double precision not null,
  from_identity_score double precision not null,
  to_identity_score double precision not null,
  from_skills_score double precision not null,
  to_skills_score double precision not null,
  credentials jsonb not null
);

create index score_change_passport on score_change (passport_id, changed_at);

create index score_change_waiting on score_change (passport_id) where waiting;

create index score_change_changed_at on score_change (changed_at);

-- Whose rows of the list were taken out or changed since its last build. A build that began earlier still has the old ones, and
-- corrects them when it switches.
create table standing_correction (passport_id bigint primary key);

-- For that, people are found in an epoch by their id.
do $$
declare
  old_epoch integer;
begin
  for old_epoch in select epoch from standing_epoch loop
    execute format('create index standing_%s_passport on standing_%s (passport_id)', old_epoch, old_epoch);
  end loop;
end
$$;

-- What operators did about single people. Ids and nothing else that tells who they are.
create table audit (
  at timestamptz not null default now(),
  action text not null check (action in ('hide', 'unhide', 'erase', 'merge', 'unmerge')),
  passport_id bigint not null,
  merged_into bigint,
  by_role text not null default session_user
);

create index audit_at on audit (at);
