-- One table for each kind of thing, as one would design them for these servers, filled from the stored lines.
create schema plain;

create table plain.passport (
  passport_id bigint primary key,
  activity_score double precision not null,
  identity_score double precision not null,
  skills_score double precision not null,
  score double precision,
  calculating_score boolean not null,
  connections_count bigint not null,
  human_checkmark boolean not null,
  last_calculated_at timestamptz (3),
  bio text,
  display_name text,
  folded_name text,
  location text,
  tags text[] not null,
  merged boolean not null,
  hidden boolean not null default false
);

-- main_wallet at position 0, verified_wallets from position 1.
create table plain.wallet (
  passport_id bigint not null,
  position smallint not null,
  address text not null,
  primary key (passport_id, position)
);

create table plain.social (
  passport_id bigint not null,
  position smallint not null,
  follower_count text,
  following_count text,
  location text,
  profile_bio text,
  profile_display_name text,
  profile_image_url text,
  profile_name text,
  profile_url text,
  source text not null,
  primary key (passport_id, position)
);

create table plain.credential (
  passport_id bigint not null,
  id text not null,
  earned_at text,
  category text not null,
  last_calculated_at timestamptz (3),
  max_score double precision not null,
  score double precision not null,
  name text not null,
  type text not null,
  value text,
  primary key (passport_id, id)
);

insert into plain.passport
select person.passport_id, activity_score, identity_score, skills_score, p.score, calculating_score, connections_count,
  human_checkmark, p.last_calculated_at, passport_profile ->> 'bio', passport_profile ->> 'display_name', folded_name,
  passport_profile ->> 'location', array (select json_array_elements_text(passport_profile -> 'tags')), p.merged
from person,
  json_to_record(line -> 'passport') as p (activity_score double precision, identity_score double precision,
    skills_score double precision, score double precision, calculating_score boolean, connections_count bigint,
    human_checkmark boolean, last_calculated_at timestamptz (3), passport_profile json, merged boolean);

insert into plain.wallet
select passport_id, 0, line -> 'passport' ->> 'main_wallet' from person where line -> 'passport' ->> 'main_wallet' is not null
union all
select passport_id, position, address
from person, json_array_elements_text(line -> 'passport' -> 'verified_wallets') with ordinality as listed (address, position);

insert into plain.social
select passport_id, listed.position, social.*
from person, json_array_elements(line -> 'passport' -> 'passport_socials') with ordinality as listed (social, position),
  json_to_record(listed.social) as social (follower_count text, following_count text, location text, profile_bio text,
    profile_display_name text, profile_image_url text, profile_name text, profile_url text, source text);

insert into plain.credential
select passport_id, credential.*
from person, json_to_recordset(line -> 'credentials') as credential (id text, earned_at text, category text,
  last_calculated_at timestamptz (3), max_score double precision, score double precision, name text, type text, value text);

-- The indexes that one would create for these servers.
create extension if not exists pg_trgm;
create index on plain.wallet (address);
create index on plain.passport (score desc nulls last, passport_id) where not hidden and not merged;
create index on plain.passport using gin (folded_name gin_trgm_ops);
