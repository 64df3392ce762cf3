-- Requests to the page that compares people are counted too.
alter table usage_count
  drop constraint usage_count_endpoint_check,
  add constraint usage_count_endpoint_check check (
    endpoint in ('/api/v1/passports', '/api/v1/passports/:id', '/api/v1/passport_credentials')
    or endpoint in ('/', '/leaderboard', '/search', '/passports/:id', '/compare', '/badge/:file')
  );
