-- The standing: everyone listed, in order, as of one moment. Each epoch is a table of its own, standing_<epoch>, written
-- once and never changed into another order; the highest epoch in standing_epoch is the current one.

create table standing_epoch (
  epoch integer primary key,
  total bigint not null,
  built_at timestamptz not null default now(),
  build_ms integer not null
);

-- The shape of an epoch. Always empty.
create table standing (
  rank bigint not null,
  passport_id bigint not null,
  body text compression lz4 not null,
  folded_name text
);

-- All runs of one to three characters of a folded name, for the gram index of an epoch; the index removes duplicates itself.
create function grams (folded text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(substr(folded, start, size))
  from generate_series(1, char_length(folded)) as start, generate_series(1, 3) as size
  where start + size - 1 <= char_length(folded)
$$;

create table standing_1 (like standing including storage including compression);

alter table standing_1 add primary key (rank);

create index standing_1_grams on standing_1 using gin (grams (folded_name));

insert into standing_epoch (epoch, total, build_ms) values (1, 0, 0);
