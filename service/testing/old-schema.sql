-- A relational schema as an old V1 server may have it. deploy/take-over/people.sql has the query for it.

create table passports (
  id bigint primary key,
  main_wallet text,
  activity_score numeric(20, 2) not null,
  identity_score numeric(20, 2) not null,
  skills_score numeric(20, 2) not null,
  score numeric(20, 2),
  calculating_score boolean not null default false,
  human boolean not null default false,
  merged boolean not null default false,
  calculated_at timestamptz,
  created_at timestamptz not null default now()
);

create table profiles (
  passport_id bigint primary key references passports,
  bio text,
  display_name text,
  location text
);

create table profile_tags (
  passport_id bigint not null references passports,
  position integer not null,
  tag text not null,
  primary key (passport_id, position)
);

create table wallets (
  passport_id bigint not null references passports,
  position integer not null,
  address text not null,
  verified_at timestamptz,
  primary key (passport_id, position)
);

create table connections (
  passport_id bigint not null references passports,
  other_id bigint not null,
  primary key (passport_id, other_id)
);

create table social_accounts (
  passport_id bigint not null references passports,
  position integer not null,
  source text not null,
  followers bigint,
  following bigint,
  location text,
  bio text,
  display_name text,
  image_url text,
  name text,
  url text,
  primary key (passport_id, position)
);

create table credentials (
  passport_id bigint not null references passports,
  id text not null,
  category text not null,
  name text not null,
  type text not null,
  value text,
  score numeric(20, 2) not null,
  max_score numeric(20, 2) not null,
  earned_at timestamptz,
  calculated_at timestamptz,
  primary key (passport_id, id)
);

create table cached_responses (
  url text not null,
  status integer not null,
  fetched_at timestamptz not null,
  body text not null
);
