-- When latest.json was signed, and until when mirrors rely on it. Null before the first time, and after the
-- end of V1.
alter table publication
  add signed_at timestamptz,
  add signed_until timestamptz;
