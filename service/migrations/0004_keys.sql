-- Keys that callers may present. A key itself is nowhere: only its SHA-256. Keys are revoked, never deleted, so that a node
-- which asks for what has changed since it last looked misses nothing.

create table api_key (
  key_id text primary key,
  -- Of the whole token, so that nothing stored can be used as one.
  hash bytea not null unique check (octet_length(hash) = 32),
  -- Issued by another server: known by its hash alone, as it does not name its id.
  adopted boolean not null,
  label text not null,
  contact text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  changed_at timestamptz not null default now()
);

create index api_key_changed_at on api_key (changed_at);
