import type { Database } from "#core/database/database.ts";
import { listWorkers } from "#core/process/worker-processes.ts";
import type { Finding } from "#core/terminal/check.ts";
import { findRecalculationOfAllSeconds } from "#scores/manage/recalculation-of-all.ts";
import { findBacklog } from "#scores/manage/recalculation-queue.ts";

// What waits for workers, and why.

const print = (count: number): string => count.toLocaleString("en");
const formatMinutes = (minutes: number): string =>
  minutes < 120 ? `${Math.round(minutes)} minutes` : `${Math.round(minutes / 60)} hours`;

const listRunning = async (database: Database) => (await listWorkers(database)).filter(({ is_running }) => is_running);

/** Why work may wait: nobody does it, or it fails. */
export async function describeWorkers(database: Database): Promise<string> {
  const running = await listRunning(database);
  if (running.length === 0) return "No worker runs, or none can write to the database: start `credence work`.";
  return `${running.length === 1 ? "A worker runs" : `${running.length} workers run`}: its log says what fails.`;
}

/** Longer than this means that no worker is running. */
const MAX_DUE_MINUTES = 60;

export async function checkRecalculation(database: Database): Promise<Finding> {
  const { due, oldest_due_seconds, set_aside } = await findBacklog(database);
  const finding = `people due: ${print(due)}, set aside: ${print(set_aside)}`;
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
