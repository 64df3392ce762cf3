-- Signed snapshots that were imported, so that no older one of the same source or key is imported by
-- mistake. `key`: SHA-256 of the public key, in hex.
create table signed_import (
  key text not null check (key ~ '^[0-9a-f]{64}$'),
  source text not null check (octet_length(source) <= 10000),
  created_at timestamptz not null,
  imported_at timestamptz not null default now(),
  primary key (key, source)
);
