import { get as getPlain, Agent as PlainAgent, type RequestOptions } from "node:http";
import { get as getTls, Agent as TlsAgent } from "node:https";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { answerParent } from "./answer-parent.ts";

// A separate process: the client that the attacks must not disturb.

export type GoodOptions = {
  address: string;
  /** A trivial server, which no attack reaches. */
  controlAddress: string;
  /** Half of the look-ups, and all pages and searches, have it. */
  key?: string;
  paths: readonly string[];
  /** Pages and searches, one a second. */
  listPaths: readonly string[];
  perSecond: number;
  readinessEveryMs: number;
};
export type Latencies = { p50_ms: number; p99_ms: number; max_ms: number };
export type GoodReport = Latencies & {
  lookups: number;
  control: Latencies;
  lists: number;
  lists_p99_ms: number;
  failures: number;
  list_failures: number;
  /** Failures by reason. */
  reasons: Record<string, number>;
  retries: number;
  readiness: number;
  readiness_failures: number;
  /** The maximum event loop delay of this process, which is the error of the measurement. */
  client_delay_max_ms: number;
};

const LOCAL_ADDRESS = "127.0.2.1";
const TIMEOUT_MS = 10_000;
// The certificate is that of a test.
const AGENTS = {
  "http:": new PlainAgent({ keepAlive: true }),
  "https:": new TlsAgent({ keepAlive: true, rejectUnauthorized: false }),
};

answerParent(clientCalls());

function clientCalls() {
  let stop: (() => Promise<GoodReport>) | null = null;
  return {
    begin: async (options: GoodOptions) => {
      stop = startLookups(options);
    },
    end: async () => stop?.(),
  };
}

/** Looks people up until the returned function is called. */
function startLookups(options: GoodOptions) {
  const { address, controlAddress, key, paths, listPaths, perSecond, readinessEveryMs } = options;
  const keyed = key === undefined ? {} : { key };
  const [times, controlTimes, listTimes]: [number[], number[], number[]] = [[], [], []];
  const report = { failures: 0, list_failures: 0, reasons: {} as Record<string, number> };
  const readiness = { readiness: 0, readiness_failures: 0 };
  const retries = { count: 0 };
  const pending = new Set<Promise<void>>();
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const track = (work: Promise<void>) => {
    pending.add(work);
    work.finally(() => pending.delete(work));
  };
  /** Sends a request. Returns whether it failed. */
  const timed = async (url: string, into: number[], send: Sending): Promise<boolean> => {
    const started = performance.now();
    const problem = await request(url, send, retries);
    into.push(performance.now() - started);
    if (problem !== null) report.reasons[problem] = (report.reasons[problem] ?? 0) + 1;
    return problem !== null;
  };

  let sent = 0;
  const lookUp = async (): Promise<void> => {
    sent += 1;
    // New and kept-alive connections in turn. Half of each with a key, which no cache of a proxy answers.
    const send = { isKeptAlive: sent % 2 === 0, ...(sent % 4 < 2 && keyed) };
    track(timed(controlAddress, controlTimes, { isKeptAlive: send.isKeptAlive }).then(() => {}));
    if (await timed(address + anyOf(paths), times, send)) report.failures += 1;
  };
  const list = async (): Promise<void> => {
    if (await timed(address + anyOf(listPaths), listTimes, { isKeptAlive: true, ...keyed })) report.list_failures += 1;
  };
  const checkReadiness = async (): Promise<void> => {
    readiness.readiness += 1;
    const problem = await request(`${address}/health/ready`, { isKeptAlive: false }, retries);
    if (problem === null) return;
    readiness.readiness_failures += 1;
    report.reasons[`readiness ${problem}`] = (report.reasons[`readiness ${problem}`] ?? 0) + 1;
  };
  // Open loop: the rate of requests does not depend on the speed of the responses.
  const timers = [
    setInterval(() => track(lookUp()), 1_000 / perSecond),
    setInterval(() => track(list()), readinessEveryMs),
    setInterval(() => track(checkReadiness()), readinessEveryMs),
  ];
  // At least one of each, also if a short attack on a slow machine ends before the timers.
  for (const work of [lookUp, list, checkReadiness]) track(work());

  return async (): Promise<GoodReport> => {
    for (const timer of timers) clearInterval(timer);
    while (pending.size > 0) await Promise.all(pending);
    loop.disable();
    return {
      lookups: times.length,
      ...latenciesOf(times),
      control: latenciesOf(controlTimes),
      lists: listTimes.length,
      lists_p99_ms: latenciesOf(listTimes).p99_ms,
      ...report,
      ...readiness,
      retries: retries.count,
      client_delay_max_ms: round(loop.max / 1e6),
    };
  };
}

const anyOf = (paths: readonly string[]): string => paths[Math.floor(Math.random() * paths.length)] ?? "/";

function latenciesOf(times: number[]): Latencies {
  const sorted = times.sort((a, b) => a - b);
  const quantile = (part: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return { p50_ms: quantile(0.5), p99_ms: quantile(0.99), max_ms: quantile(1) };
}

const round = (ms: number): number => Math.round(ms * 10) / 10;

type Sending = { isKeptAlive: boolean; key?: string };

/** Returns null for a complete response with status 200, otherwise the problem. */
async function request(url: string, sending: Sending, retries: { count: number }): Promise<string | null> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const first = await requestOnce(url, sending, signal);
  if (!first.stale) return first.problem;
  // The server closed a kept-alive connection before it responded. RFC 9112 allows a retry.
  retries.count += 1;
  return (await requestOnce(url, { ...sending, isKeptAlive: false }, signal)).problem;
}

type Outcome = { problem: string | null; stale: boolean };

function requestOnce(url: string, { isKeptAlive, key }: Sending, signal: AbortSignal): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const protocol = new URL(url).protocol as keyof typeof AGENTS;
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    ...{ signal, localAddress: LOCAL_ADDRESS, agent: isKeptAlive ? AGENTS[protocol] : false },
    ...{ rejectUnauthorized: false, headers: key === undefined ? {} : { "x-api-key": key } },
  };
  const sent = (protocol === "https:" ? getTls : getPlain)(url, options, (response) => {
    const broken = () => resolve({ problem: "response truncated", stale: false });
    response.on("error", broken);
    response.on("close", broken);
    response.on("end", () => {
      const { statusCode } = response;
      resolve({ problem: statusCode === 200 ? null : `status ${statusCode}`, stale: false });
    });
    response.resume();
  });
  sent.on("error", (error: NodeJS.ErrnoException) => {
    const timedOut = signal.aborted;
    const problem = timedOut ? "timeout" : (error.code ?? error.message);
    resolve({ problem, stale: sent.reusedSocket && !timedOut });
  });
  return promise;
}
