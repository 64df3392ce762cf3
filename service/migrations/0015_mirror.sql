-- Signed snapshots that were imported, so that no older one of the same source or key is imported by
-- mistake. `key`: SHA-256 of the public key, in hex.
create table signed_import (
  key text not null check (key ~ '^[0-9a-f]{64}$'),
  source text not null check (octet_length(source) <= 10000),
  feed uuid,
  created_at timestamptz not null,
  imported_at timestamptz not null default now(),
  primary key (key, source)
);

-- Whether `merged_into` came from a line of an import. Every other merge was made here, all from
-- before this column included: a mirror does not undo it.
alter table passport add merged_by_line boolean not null default false;

-- Counts transactions after which V1 shows less: somebody hidden or erased, or a wallet lost. A
-- published snapshot is replaced sooner then.
alter table people_change add removals bigint not null default 0;

-- On a mirror, wallets of a person that lead to nobody on the publisher, because somebody whom it
-- does not show has them.
create table unowned_wallet (
  passport_id bigint not null check (passport_id between 1 and 9007199254740991),
  address text not null,
  primary key (address, passport_id)
);

create index unowned_wallet_passport on unowned_wallet (passport_id);

-- The feed of this server: all snapshots for mirrors that it, or before a take-over its predecessor,
-- has published. `continues`: after a take-over, the `created_at` of the last snapshot before it.
create table publication (
  only_row boolean primary key default true check (only_row),
  feed uuid not null,
  continues timestamptz
);

-- What this server is a mirror of. The columns from `latest_at` on are null until the first poll.
create table mirror_of (
  only_row boolean primary key default true check (only_row),
  url text not null check (octet_length(url) between 1 and 1000),
  basis text not null check (char_length(basis) between 1 and 1000),
  -- SHA-256 of the accepted public keys, in hex.
  keys text[] not null,
  began_at timestamptz not null default now(),
  feed uuid,
  -- Of the last valid latest.json. `expires_at` is never more than six hours after `latest_at`.
  latest_at timestamptz,
  expires_at timestamptz,
  has_ended boolean not null default false,
  -- Of the last snapshot that was imported completely.
  created_at timestamptz,
  manifest_sha256 text check (manifest_sha256 ~ '^[0-9a-f]{64}$'),
  polled_at timestamptz,
  -- Why the last poll failed; null if it did not.
  failure text check (char_length(failure) <= 1000),
  failed_since timestamptz,
  taken_over_at timestamptz
);

-- On a mirror, people whom the last snapshot lacks. V1 shows none of them; their records are deleted
-- at `delete_at`.
create table mirror_absent (
  passport_id bigint primary key check (passport_id between 1 and 9007199254740991),
  delete_at timestamptz not null
);

-- Serving roles keep their rights, and read how old a mirror is.
do $$
declare
  serving regrole;
begin
  for serving in
    select grantee from pg_proc, aclexplode(proacl)
    where pg_proc.oid = 'fetch_export (bytea, bytea)'::regprocedure and grantee <> 0 and grantee <> proowner
  loop
    execute format(
      'grant select (url, began_at, latest_at, expires_at, has_ended, created_at, taken_over_at) on mirror_of to %s', serving
    );
  end loop;
end
$$;
