import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { isDenied } from "#core/database/failures.ts";
import { listWorkers } from "#core/process/worker-processes.ts";
import type { Finding } from "#core/terminal/check.ts";
import { listUnsignedIds } from "#people/facts/hidden-by-holder.ts";
import { isOlderThan, olderThan } from "./export-protections.ts";
import { readProtectionsHeader } from "./protections-file.ts";

const IMPORT_IT =
  "A backup was restored: people who hid or were erased after it may be shown. Import the file first: credence import --protections FILE";

/** Whether a restored backup still lacks the protections of a file. */
export async function checkProtections(
  database: Database,
  { protectionsFile: path }: Pick<Config, "protectionsFile">,
): Promise<Finding> {
  const running = (await listWorkers(database)).filter(({ is_running }) => is_running);
  if (running.some(({ is_older_than_file }) => is_older_than_file)) {
    return { state: "problem", finding: olderThan("the file of a worker (PROTECTIONS_FILE)"), advice: IMPORT_IT };
  }
  try {
    if (path !== null && (await isOlderThan(database, await readProtectionsHeader(path)))) {
      return { state: "problem", finding: olderThan(path), advice: IMPORT_IT };
    }
    const unsigned = await listUnsignedIds(database);
    if (unsigned.length > 0) {
      return {
        state: "warning",
        finding: `asked to be erased before the data was restored, without a signed request: ${unsigned.join(", ")}`,
        advice:
          "They are hidden. Erase them with `credence passport erase`, or show them with `credence passport unhide`.",
        passport_ids: unsigned,
      };
    }
  } catch (error) {
    // The serving role may not read these tables.
    if (!isDenied(error)) throw error;
  }
  const isWritten = running.some(({ protections_age_seconds }) => protections_age_seconds !== null);
  return {
    state: "ok",
    finding: isWritten
      ? "a worker writes them to its PROTECTIONS_FILE"
      : "no running worker writes them: set PROTECTIONS_FILE, or run `credence export --protections` with each backup",
  };
}
