-- Prints one saved response of a table of cached responses per line. Change the names of table and columns.
-- docs/TAKE-OVER.md runs it.
copy (
  select json_build_object('url', url, 'status', status, 'at', fetched_at, 'body', body)
  from cached_responses
  where url like '%/api/v1/passport%' and status = 200
) to stdout with (format csv, quote e'\x01', delimiter e'\x02')
