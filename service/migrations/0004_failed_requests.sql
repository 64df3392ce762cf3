-- A request of a holder that fails is tried again, later each time, and delays no other.
alter table holder_request
  add attempts integer not null default 0,
  add last_error text check (char_length(last_error) <= 1000),
  add retry_at timestamptz not null default '-infinity';
