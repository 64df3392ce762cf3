import { DEADLINE_MS } from "#core/readers/fair-queue.ts";

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
