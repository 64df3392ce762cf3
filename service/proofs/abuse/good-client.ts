import { Agent, get, type RequestOptions } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { answerParent } from "./answer-parent.ts";

// A separate process: the client that the attacks must not disturb.

export type GoodOptions = { address: string; paths: readonly string[]; perSecond: number; readinessEveryMs: number };
export type GoodReport = {
  lookups: number;
  p50_ms: number;
  p99_ms: number;
  max_ms: number;
  failures: number;
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

answerParent(clientCalls(new Agent({ keepAlive: true })));

function clientCalls(agent: Agent) {
  let stop: (() => Promise<GoodReport>) | null = null;
  return {
    begin: async (options: GoodOptions) => {
      stop = startLookups(agent, options);
    },
    end: async () => stop?.(),
  };
}

/** Looks people up until the returned function is called. */
function startLookups(agent: Agent, { address, paths, perSecond, readinessEveryMs }: GoodOptions) {
  const times: number[] = [];
  const report = { failures: 0, reasons: {} as Record<string, number>, readiness: 0, readiness_failures: 0 };
  const retries = { count: 0 };
  const pending = new Set<Promise<void>>();
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const fail = (reason: string) => {
    report.reasons[reason] = (report.reasons[reason] ?? 0) + 1;
  };
  const track = (work: Promise<void>) => {
    pending.add(work);
    work.finally(() => pending.delete(work));
  };

  let sent = 0;
  const lookUp = async (): Promise<void> => {
    sent += 1;
    const path = paths[Math.floor(Math.random() * paths.length)] ?? "/";
    const started = performance.now();
    // Alternate between kept-alive and new connections.
    const problem = await request(address + path, sent % 2 === 0 ? agent : false, retries);
    times.push(performance.now() - started);
    if (problem === null) return;
    report.failures += 1;
    fail(problem);
  };
  const checkReadiness = async (): Promise<void> => {
    report.readiness += 1;
    const problem = await request(`${address}/health/ready`, false, retries);
    if (problem === null) return;
    report.readiness_failures += 1;
    fail(`readiness ${problem}`);
  };
  // Open loop: the rate of requests does not depend on the speed of the responses.
  const timers = [
    setInterval(() => track(lookUp()), 1_000 / perSecond),
    setInterval(() => track(checkReadiness()), readinessEveryMs),
  ];
  // At least one of each, also if a short attack on a slow machine ends before the timers.
  track(lookUp());
  track(checkReadiness());

  return async (): Promise<GoodReport> => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(pending);
    loop.disable();
    times.sort((a, b) => a - b);
    const quantile = (part: number) => round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0);
    return {
      lookups: times.length,
      p50_ms: quantile(0.5),
      p99_ms: quantile(0.99),
      max_ms: quantile(1),
      ...report,
      retries: retries.count,
      client_delay_max_ms: round(loop.max / 1e6),
    };
  };
}

const round = (ms: number): number => Math.round(ms * 10) / 10;

/** Returns null for a complete response with status 200, otherwise the problem. */
async function request(url: string, agentOrNone: Agent | false, retries: { count: number }): Promise<string | null> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const first = await requestOnce(url, { agent: agentOrNone, signal });
  if (!first.stale) return first.problem;
  // The server closed a kept-alive connection before it responded. RFC 9112 allows a retry.
  retries.count += 1;
  return (await requestOnce(url, { agent: false, signal })).problem;
}

type Outcome = { problem: string | null; stale: boolean };

function requestOnce(url: string, options: RequestOptions): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const sent = get(url, { ...options, localAddress: LOCAL_ADDRESS }, (response) => {
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
    const timedOut = options.signal?.aborted ?? false;
    const problem = timedOut ? "timeout" : (error.code ?? error.message);
    resolve({ problem, stale: sent.reusedSocket && !timedOut });
  });
  return promise;
}
