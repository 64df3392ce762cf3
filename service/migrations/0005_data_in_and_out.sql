-- Who is not to be taken in again. Holds nothing that tells who they are: an id, and wallets as keyed hashes.

create table opt_out (
  passport_id bigint primary key check (passport_id between 1 and 9007199254740991),
  opted_out_at timestamptz not null default now()
);

create table opt_out_wallet (
  -- HMAC-SHA-256 of the wallet under OPT_OUT_KEY.
  hash bytea primary key check (octet_length(hash) = 32),
  -- The fingerprint of that key: under another one, the hash says nothing.
  key text not null,
  passport_id bigint not null,
  -- Whether the people held when it came have been looked through for it. Lines that come later are.
  applied boolean not null default false
);

create index opt_out_wallet_passport on opt_out_wallet (passport_id);

-- Counts the transactions that changed people, so that a standing knows whether it is behind. One row.
create table people_change (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);

insert into people_change (number) values (0);

-- Of a standing built before this counter nobody knows how far it is behind.
alter table standing_epoch add column people_change bigint not null default -1;

update standing_epoch set people_change = 0 where not exists (select from passport);

-- A digest of the line a person was taken in from, as long as their row has not been changed since: it lets an import that meets
-- the same line again pass over it unread.
alter table passport add column source_digest bytea;

-- Whoever updates a person makes the digest untrue, and need not remember that.
create function forget_source () returns trigger language plpgsql as $$
begin
  new.source_digest := null;
  return new;
end
$$;

create trigger passport_forgets_source before update on passport
for each row when (old.source_digest is not distinct from new.source_digest) execute function forget_source ();
