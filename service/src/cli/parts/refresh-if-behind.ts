import { type Refreshed, refreshStanding } from "#operations/standing/refresh-standing.ts";
import type { Database } from "#store/engine/database.ts";
import { isStandingBehind } from "#store/standing/epochs.ts";
import { printMessage } from "#terminal/output.ts";
import type { Terminal } from "#terminal/terminal.ts";

/** Refreshes the standing if people have changed. Null if there was nothing to do, or another process does it. */
export async function refreshIfBehind(terminal: Terminal, database: Database): Promise<Refreshed | null> {
  if (!(await isStandingBehind(database))) return null;
  printMessage(terminal, "Building the list …");
  const refreshed = await refreshStanding(database);
  if (refreshed === null)
    printMessage(terminal, "Another process is building the list. Run `credence standing refresh` after it.");
  return refreshed;
}
