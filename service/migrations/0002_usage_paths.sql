-- The paths that clients ask for, also those that nothing is served at. A path has no wallets and no
-- names: its segments are words, or `*`.
alter table usage_mark
  drop constraint usage_mark_kind_check,
  add constraint usage_mark_kind_check check (
    kind in ('user agent', 'origin', 'parameter', 'unknown key', 'key in URL', 'path')
  ),
  add constraint usage_mark_path_check check (kind <> 'path' or value ~ '^/$|^(/([a-z0-9_-]{1,32}|[*])){1,5}$');
