-- Facts: what is known of people. Every table leads with passport_id, and no foreign key ties them together: one operation
-- writes them, in one transaction, and a check per row would cost imports of millions of people dearly.

create table passport (
  passport_id bigint primary key check (passport_id between 1 and 9007199254740991),
  activity_score double precision not null check (activity_score between 0 and 1e15),
  identity_score double precision not null check (identity_score between 0 and 1e15),
  skills_score double precision not null check (skills_score between 0 and 1e15),
  score double precision check (score between 0 and 1e15),
  calculating_score boolean not null,
  connections_count bigint not null check (connections_count between 0 and 9007199254740991),
  human_checkmark boolean not null,
  last_calculated_at timestamptz (3) check (last_calculated_at between '0001-01-01Z' and '9999-12-31 23:59:59.999Z'),
  bio text,
  display_name text,
  -- display_name without case, accents and compatibility forms; what keyword is compared with.
  folded_name text,
  location text,
  tags text[] not null,
  -- As the source said. A person merged here has merged_into as well.
  merged boolean not null,
  -- The person who absorbed this one, who may not be here (yet).
  merged_into bigint check (merged_into between 1 and 9007199254740991 and merged_into <> passport_id),
  hidden boolean not null default false
);

create index passport_merged_into on passport (merged_into) where merged_into is not null;

-- The wallets a record lists: the main one at position 0, the verified ones from 1 in their order.
create table passport_wallet (
  passport_id bigint not null,
  position smallint not null check (position >= 0),
  address text not null,
  primary key (passport_id, position)
);

create index passport_wallet_address on passport_wallet (address);

create table social (
  passport_id bigint not null,
  position smallint not null check (position >= 1),
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

create table credential (
  passport_id bigint not null,
  id text not null,
  earned_at text check (char_length(earned_at) <= 64),
  category text not null,
  last_calculated_at timestamptz (3) check (last_calculated_at between '0001-01-01Z' and '9999-12-31 23:59:59.999Z'),
  max_score double precision not null check (max_score between 0 and 1e15),
  score double precision not null check (score between 0 and 1e15),
  name text not null,
  type text not null,
  value text,
  primary key (passport_id, id)
);
