/**
 * The response to a GET is sent within this time, if need be as 503. deploy/nginx waits four seconds for
 * a node and then asks another one: a node that is slow, but not frozen, says so itself.
 */
export const DEADLINE_MS = 3_500;

/** The response was not ready in time. */
export class TooLate extends Error {
  override name = "TooLate";

  constructor() {
    super(`The response was not ready within ${DEADLINE_MS} ms.`);
  }
}

/** Rejects if the work is not done by the deadline of a request. The work itself goes on. */
export function beforeDeadline<Result>(work: Promise<Result>, startedAt: number): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const leftMs = startedAt + DEADLINE_MS - performance.now();
  const timer = setTimeout(() => reject(new TooLate()), leftMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
