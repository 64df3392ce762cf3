-- Sends requests for wrk: for paths drawn from a file, or for one path with {n} replaced by a number from 1 to N.
-- Arguments: the file or the path, N (0 for a file), a header line or nothing.
local requests, path, most = {}, nil, 0

function init(args)
  most = tonumber(args[2])
  local name, value = string.match(args[3] or "", "^([^:]+): (.*)$")
  if name then wrk.headers[name] = value end
  math.randomseed(os.time())
  if most > 0 then
    path = args[1]
  else
    for line in io.lines(args[1]) do requests[#requests + 1] = wrk.format("GET", line) end
  end
end

function request()
  if path then return wrk.format("GET", (string.gsub(path, "{n}", math.random(most)))) end
  return requests[math.random(#requests)]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d,"max":%d}\n',
    summary.requests, summary.duration, errors.status,
    -- Not errors.timeout: wrk counts an answer that takes over two seconds there, and then receives it.
    errors.connect + errors.read + errors.write,
    latency:percentile(50), latency:percentile(99), latency.max))
end
