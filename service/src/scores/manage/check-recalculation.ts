import type { Database } from "#core/database/database.ts";
import { describeWorkers } from "#core/process/worker-processes.ts";
import type { Finding } from "#core/terminal/check.ts";
import { formatNumber } from "#core/terminal/output.ts";
import { findBacklog, findRecalculationOfAllSeconds } from "#scores/backlog.ts";

const formatMinutes = (minutes: number): string =>
  minutes < 120 ? `${Math.round(minutes)} minutes` : `${Math.round(minutes / 60)} hours`;

/** Longer than this means that no worker is running. */
const MAX_DUE_MINUTES = 60;

export async function checkRecalculation(database: Database): Promise<Finding> {
  const { due, oldest_due_seconds, set_aside } = await findBacklog(database);
  const finding = `people due: ${formatNumber(due)}, set aside: ${formatNumber(set_aside)}`;
  const minutes = oldest_due_seconds / 60;
  if (due === 0 && (await findRecalculationOfAllSeconds(database)) > 60) {
    const advice = `A recalculation of all people has started, but no person is due. ${await describeWorkers(database)}`;
    return { state: "warning", finding, advice };
  }
  if (minutes > MAX_DUE_MINUTES) {
    const advice = `The oldest has been due for ${formatMinutes(minutes)}. ${await describeWorkers(database)}`;
    return { state: "warning", finding, advice };
  }
  if (set_aside > 0)
    return { state: "warning", finding, advice: "`credence passport due` lists them with the reasons." };
  return { state: "ok", finding };
}
