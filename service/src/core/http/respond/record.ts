import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Metrics } from "#core/http/metrics/metrics.ts";

/** One in this many requests is logged. A line for each would cost more than the response. */
const SAMPLE = 100;
const SLOW_MS = 1_000;
const UNAVAILABLE = 503;
/**
 * At most one line of a kind in this time, so that logging does not slow down a server in trouble.
 */
const LOG_EVERY_MS = 1_000;
/** An outage lasts for many seconds, and is one event. */
const LOG_OUTAGE_EVERY_MS = 10_000;

/** Records a request when its response is written. */
export type RecordRequest = (request: FastifyRequest, route: string, status: number) => void;

/**
 * Counts every request. Logs the failed and the slow ones and a sample of the rest, without URLs,
 * which may contain a key.
 */
export function requestRecorder(metrics: Metrics, count: RecordRequest, log: Logger): RecordRequest {
  let requests = 0;
  const failed = limitLines((line) => log.error(line, "failed"));
  const slow = limitLines((line) => log.warn(line, "slow"));
  const answered = limitLines((line) => log.info(line, "answered"));
  return (request, route, status) => {
    // A request that the framework refuses before any hook has no start time.
    const ms = request.startedAt > 0 ? performance.now() - request.startedAt : 0;
    metrics.observeRequest(route, status, ms);
    count(request, route, status);
    requests += 1;
    // 503 is logged with its cause: see unavailableLogger.
    const isFailed = status >= 500 && status !== UNAVAILABLE;
    const isSlow = ms >= SLOW_MS && !request.isDelayed;
    if (!isFailed && !isSlow && requests % SAMPLE !== 0) return;
    const write = isFailed ? failed : isSlow ? slow : answered;
    write(() => {
      const { id, keyId: key, method } = request;
      return { request: id, key, method, route, status, ms: Math.round(ms * 10) / 10, sample: SAMPLE };
    });
  };
}

type Line = { [name: string]: unknown };

/**
 * Writes at most one line in `everyMs`; `requests` is the number it stands for. The line is built only
 * if it is written.
 */
function limitLines(write: (line: Line) => void, everyMs = LOG_EVERY_MS): (build: () => Line) => void {
  let requests = 0;
  let writtenAt = Number.NEGATIVE_INFINITY;
  return (build) => {
    requests += 1;
    if (performance.now() - writtenAt < everyMs) return;
    write({ ...build(), requests });
    requests = 0;
    writtenAt = performance.now();
  };
}

/** Logs why requests got 503. */
export function unavailableLogger(log: Logger): (error: unknown) => void {
  const write = limitLines((line) => log.error(line, "unavailable"), LOG_OUTAGE_EVERY_MS);
  return (error) => write(() => ({ err: error }));
}
