-- Draws the requests of wrk: random lines of a file, or a path with a random number from 1 to N in
-- place of {n}. Arguments: the file or path, N (0 for a file), a header line or an empty string.
local requests, path, max_n = {}, nil, 0

function init(args)
  max_n = tonumber(args[2])
  local name, value = string.match(args[3] or "", "^([^:]+): (.*)$")
  if name then wrk.headers[name] = value end
  math.randomseed(os.time())
  if max_n > 0 then
    path = args[1]
  else
    for line in io.lines(args[1]) do requests[#requests + 1] = wrk.format("GET", line) end
  end
end

function request()
  if path then return wrk.format("GET", (string.gsub(path, "{n}", math.random(max_n)))) end
  return requests[math.random(#requests)]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d,"max":%d}\n',
    summary.requests, summary.duration, errors.status,
    -- Without errors.timeout: it counts slow responses, over two seconds, that wrk still receives.
    errors.connect + errors.read + errors.write,
    latency:percentile(50), latency:percentile(99), latency.max))
end
