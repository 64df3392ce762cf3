import type { Database } from "#core/database/database.ts";
import { printMessage } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { isStandingBehind } from "#list/epochs.ts";
import { type Refreshed, refreshStanding } from "#list/manage/refresh-standing.ts";

/** Refreshes the standing if people have changed. Null if there was nothing to do, or another process does it. */
export async function refreshIfBehind(terminal: Terminal, database: Database): Promise<Refreshed | null> {
  if (!(await isStandingBehind(database))) return null;
  printMessage(terminal, "Building the list …");
  const refreshed = await refreshStanding(database);
  if (refreshed === null)
    printMessage(terminal, "Another process is building the list. Run `credence standing refresh` after it.");
  return refreshed;
}
