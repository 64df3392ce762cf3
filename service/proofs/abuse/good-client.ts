import { Agent, get, type RequestOptions } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { answerParent } from "./answer-parent.ts";

// A process of its own: the client that must not notice the attacks.

export type GoodOptions = { address: string; paths: readonly string[]; perSecond: number; readinessEveryMs: number };
export type GoodReport = {
  lookups: number;
  p50_ms: number;
  p99_ms: number;
  max_ms: number;
  failures: number;
  /** What failed, and how often. */
  reasons: Record<string, number>;
  retries: number;
  readiness: number;
  readiness_failures: number;
  /** The longest delay of this process's own event loop: noise of the measurement. */
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

/** Looks people up until stopped. */
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
    // Kept-alive and new connections in turn.
    const problem = await ask(address + path, sent % 2 === 0 ? agent : false, retries);
    times.push(performance.now() - started);
    if (problem === null) return;
    report.failures += 1;
    fail(problem);
  };
  const askReadiness = async (): Promise<void> => {
    report.readiness += 1;
    const problem = await ask(`${address}/health/ready`, false, retries);
    if (problem === null) return;
    report.readiness_failures += 1;
    fail(`readiness ${problem}`);
  };
  // Sent on schedule whether or not earlier requests were answered, so that a slow server is not asked less often.
  const timers = [
    setInterval(() => track(lookUp()), 1_000 / perSecond),
    setInterval(() => track(askReadiness()), readinessEveryMs),
  ];
  track(askReadiness());

  return async (): Promise<GoodReport> => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(pending);
    loop.disable();
    times.sort((one, other) => one - other);
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

/** Null for a 200 that was read to its end; otherwise what went wrong. */
async function ask(url: string, agentOrNone: Agent | false, retries: { count: number }): Promise<string | null> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const first = await askOnce(url, { agent: agentOrNone, signal });
  if (!first.stale) return first.problem;
  // A kept-alive connection that the server closed before any byte of a response: RFC 9112 lets clients repeat a GET.
  retries.count += 1;
  return (await askOnce(url, { agent: false, signal })).problem;
}

type Outcome = { problem: string | null; stale: boolean };

function askOnce(url: string, options: RequestOptions): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const request = get(url, { ...options, localAddress: LOCAL_ADDRESS }, (response) => {
    const broken = () => resolve({ problem: "response cut off", stale: false });
    response.on("error", broken);
    response.on("close", broken);
    response.on("end", () => {
      const { statusCode } = response;
      resolve({ problem: statusCode === 200 ? null : `status ${statusCode}`, stale: false });
    });
    response.resume();
  });
  request.on("error", (error: NodeJS.ErrnoException) => {
    const late = options.signal?.aborted ?? false;
    resolve({ problem: late ? "time-out" : (error.code ?? error.message), stale: request.reusedSocket && !late });
  });
  return promise;
}
