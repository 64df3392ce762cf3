import type { Config } from "#core/config/config.ts";
import type { Connection, Database } from "#core/database/database.ts";
import { isDenied } from "#core/database/failures.ts";
import { listWorkers } from "#core/process/worker-processes.ts";
import { type Finding, notChecked, ok, warning } from "#core/terminal/check.ts";
import { formatDuration, formatPassports, formatPeople } from "#core/terminal/output.ts";
import { findLostMain } from "#people/facts/people.ts";
import { describeMissing, listMissingKeys } from "./erased-wallets.ts";
import { knowsFile, lacksDecisions } from "./keep-file.ts";
import { listLostErasures } from "./ledger.ts";

const IMPORT_IT =
  "A backup was restored: people who hid or were erased after it may be shown. Import the file first: credence decisions import FILE";

/** A worker checks its file every 20 seconds; a long ledger takes a minute or two. */
const LATE_SECONDS = 600;
const SEE_LOG = "the log of the worker says what fails.";

/** Whether a restored backup still lacks decisions of a file, and whether a worker writes the file. */
export async function checkDecisionsFile(
  database: Database,
  { decisionsFile: path }: Pick<Config, "decisionsFile">,
): Promise<Finding> {
  const running = (await listWorkers(database)).filter(({ is_running }) => is_running);
  if (running.some(({ is_older_than_file }) => is_older_than_file)) {
    return { state: "problem", finding: lacksDecisions("the file of a worker (DECISIONS_FILE)"), advice: IMPORT_IT };
  }
  try {
    if (path !== null && !(await knowsFile(database, path)))
      return { state: "problem", finding: lacksDecisions(path), advice: IMPORT_IT };
    const lost = await listLostErasures(database);
    if (lost.length > 0) {
      return {
        state: "warning",
        finding: `asked to be erased before the data was restored, without a signed request: ${lost.join(", ")}`,
        advice:
          "Erase these, who are hidden, with `credence passport erase`, or show them with `credence passport unhide`.",
        passport_ids: lost,
      };
    }
  } catch (error) {
    // The serving role may not read these tables.
    if (!isDenied(error)) throw error;
  }
  const ages = running.flatMap(({ file_age_seconds }) => file_age_seconds ?? []);
  const age = Math.max(...ages);
  if (age > LATE_SECONDS) {
    return warning(
      `a worker has not brought its DECISIONS_FILE up to date for ${formatDuration(age * 1_000)}`,
      `Mend it: ${SEE_LOG} Until it is written, a restored backup undoes what was decided since.`,
    );
  }
  if (ages.length > 0) return ok("a worker writes them to its DECISIONS_FILE");
  // The first report of a worker precedes its first file.
  if (running.some(({ started_at, seen_at }) => started_at.getTime() === seen_at.getTime()))
    return notChecked("a worker was just started, and reports within a minute whether it writes them");
  return warning(
    running.length === 0 ? "no worker runs that writes them" : "no running worker has written a DECISIONS_FILE",
    `Run \`credence work\` with DECISIONS_FILE: without the file, a restored backup shows people again who hid or were erased after it.${running.length === 0 ? "" : ` If it is set: ${SEE_LOG}`}`,
  );
}

/** Whether this process has the keys of all erased people, and whether records lost their main wallet. */
export async function checkErasures(
  connection: Connection,
  { optOutKeys }: Pick<Config, "optOutKeys">,
): Promise<Finding> {
  try {
    const missing = await listMissingKeys(connection, optOutKeys);
    if (missing.length > 0) {
      return warning(
        missing.map(describeMissing).join("; "),
        "Imports are refused. Set OPT_OUT_KEY for imports and workers, or give a key up: credence decisions give-up KEY",
      );
    }
    const { people, ids } = await findLostMain(connection, 10);
    const kept =
      people === 0
        ? ""
        : `; the main wallet of ${formatPeople(people)} was erased with another record (${formatPassports(ids)}): if it is the same person, erase it too`;
    return ok(`the keys of all erased people are set, or nobody was erased${kept}`);
  } catch (error) {
    if (isDenied(error)) return notChecked("servers have nothing to do with these keys");
    throw error;
  }
}
