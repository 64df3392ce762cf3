import type { Worker } from "node:cluster";
import { type Limiter, monotonicNow } from "#core/http/limits/limiter.ts";
import type { Report, SharedTotals, Totals } from "#core/http/limits/shared-totals.ts";

// The processes of a node report what clients have spent to the first process, and get the totals.

type ReportMessage = { spent: Report };
type TotalsMessage = { totals: Totals };

const SHARE_EVERY_MS = 200;

/** In a worker process. */
export function shareLimits(limiter: Limiter): void {
  process.on("message", (message: Partial<TotalsMessage> | null) => {
    if (message?.totals !== undefined) limiter.applyTotals(message.totals);
  });
  const timer = setInterval(() => {
    const message: ReportMessage = { spent: limiter.takeReport() };
    // Fails if the first process is exiting.
    process.send?.(message, undefined, undefined, () => {});
  }, SHARE_EVERY_MS);
  timer.unref();
}

/** In the first process, for each worker process. */
export function collectLimits(worker: Worker, totals: SharedTotals): void {
  worker.on("message", (message: Partial<ReportMessage> | null) => {
    if (message?.spent === undefined) return;
    const answer: TotalsMessage = { totals: totals.merge(worker.id, message.spent, monotonicNow()) };
    if (answer.totals.length > 0) worker.send(answer, () => {});
  });
  worker.once("exit", () => totals.forget(worker.id));
}
