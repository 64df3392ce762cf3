import type { Database } from "#core/database/database.ts";
import { listWorkers } from "#core/process/worker-processes.ts";
import type { Finding } from "#core/terminal/check.ts";
import { formatNumber } from "#core/terminal/output.ts";
import { findWaitingRequests } from "#holders/waiting-requests.ts";

const formatAge = (seconds: number): string =>
  seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} days`;

/** Longer than this means that no worker can verify requests of holders. */
const MAX_WAITING_SECONDS = 120;

/** Requests of holders: what waits, and why. */
export async function checkRequests(database: Database): Promise<Finding> {
  const { requests, ageSeconds, in_review, reviewSeconds, erasures_overdue } = await findWaitingRequests(database);
  const running = (await listWorkers(database)).filter(({ is_running }) => is_running);
  const finding = `of holders that wait: ${formatNumber(requests)}; that need your decision: ${formatNumber(in_review)}; workers running: ${running.length}`;
  const warning = (advice: string): Finding => ({ state: "warning", finding, advice });
  if (ageSeconds > MAX_WAITING_SECONDS) {
    if (running.length === 0) return warning("Requests wait because no worker runs. Start `credence work`.");
    const isVerifying = running.some(({ verifies }) => verifies);
    if (!isVerifying) return warning("No worker verifies them: set HOLDER_KEY, PUBLIC_URL and HOLDER_REQUESTS for it.");
    return warning(
      "Their steps fail, or the workers have another PUBLIC_URL or HOLDER_KEY than the servers. `credence requests list` shows which failed, and why.",
    );
  }
  if (erasures_overdue > 0) {
    const isErasing = running.some(({ erases }) => erases);
    const reason = isErasing ? "`credence requests list` shows why" : "no running worker has OPT_OUT_KEY";
    return warning(`Erasures that are overdue: ${formatNumber(erasures_overdue)}; ${reason}.`);
  }
  if (in_review > 0) {
    return warning(
      `Decide on them: \`credence requests list\`, then \`credence requests approve\` or \`refuse\`. The oldest was sent ${formatAge(reviewSeconds)} ago.`,
    );
  }
  return { state: "ok", finding };
}
