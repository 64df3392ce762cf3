import { Agent, get } from "node:http";

export type LoadSample = { requests: number; failed: number; refused: number; p50_ms: number; p99_ms: number };

/** Responses with 410 are those of a brownout. */
const BROWNOUT = 410;

/**
 * Sends requests until stopped. With `perSecond`, the rate is fixed and does not depend on responses;
 * without, each of the connections sends as fast as it gets responses.
 */
export function startLoad(address: string, pathAt: (at: number) => string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let times: number[] = [];
  let [failed, refused, sent] = [0, 0, 0];
  let timer: NodeJS.Timeout | null = null;
  const send = async (): Promise<void> => {
    const started = performance.now();
    const status = await requestStatus(agent, address + pathAt(sent++));
    times.push(performance.now() - started);
    if (status === BROWNOUT) refused += 1;
    else if (status !== 200) failed += 1;
  };
  return {
    /** Requests a second with all connections busy. */
    measureCapacity: async (durationMs: number): Promise<number> => {
      const until = performance.now() + durationMs;
      const client = async () => {
        while (performance.now() < until) await send();
      };
      await Promise.all(Array.from({ length: connections }, client));
      const capacity = (1_000 * times.length) / durationMs;
      times = [];
      return capacity;
    },
    begin: (perSecond: number) => {
      const started = performance.now();
      let due = 0;
      timer = setInterval(() => {
        for (const until = ((performance.now() - started) * perSecond) / 1_000; due < until; due += 1) void send();
      }, 5);
    },
    take: (): LoadSample => {
      const sorted = times.sort((a, b) => a - b);
      const quantile = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
      const sample = { requests: sorted.length, failed, refused, p50_ms: quantile(0.5), p99_ms: quantile(0.99) };
      [times, failed, refused] = [[], 0, 0];
      return sample;
    },
    stop: () => {
      if (timer !== null) clearInterval(timer);
      agent.destroy();
    },
  };
}

function requestStatus(agent: Agent, url: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const request = get(url, { agent }, (response) => {
    response.on("error", () => resolve(0));
    response.on("end", () => resolve(response.statusCode ?? 0));
    response.resume();
  });
  request.on("error", () => resolve(0));
  return promise;
}
