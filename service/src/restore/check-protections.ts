import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { isDenied } from "#core/database/failures.ts";
import { listWorkers } from "#core/process/worker-processes.ts";
import { type Finding, notChecked, ok, warning } from "#core/terminal/check.ts";
import { listRestoredIds } from "#holders/manage/requests.ts";
import { listShownAfterBackup, listUnsignedIds } from "#people/facts/hidden-by-holder.ts";
import { isOlderThan, olderThan } from "./is-older.ts";
import type { ProtectionsHeader } from "./protections-file.ts";

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
    if (path !== null && (await isOlderThan(database, await readHeader(path)))) {
      return { state: "problem", finding: olderThan(path), advice: IMPORT_IT };
    }
    const toDecide = await findToDecide(database);
    if (toDecide !== null) return toDecide;
  } catch (error) {
    // The serving role may not read these tables.
    if (!isDenied(error)) throw error;
  }
  const isWritten = running.some(({ protections_age_seconds }) => protections_age_seconds !== null);
  if (isWritten) return ok("a worker writes them to its PROTECTIONS_FILE");
  // The first report of a worker precedes its first file.
  if (running.some(({ started_at, seen_at }) => started_at.getTime() === seen_at.getTime()))
    return notChecked("a worker was just started, and reports within a minute whether it writes them");
  return warning(
    running.length === 0 ? "no worker runs that writes them" : "no running worker has a PROTECTIONS_FILE",
    "Run `credence work` with PROTECTIONS_FILE: without the file, a restored backup shows people again who hid or were erased after it.",
  );
}

/** Loads the validator of files only if there is a file: it needs as long as the rest of `doctor`. */
async function readHeader(path: string): Promise<ProtectionsHeader | null> {
  const { readProtectionsHeader } = await import("./protections-file.ts");
  return readProtectionsHeader(path);
}

/** What the operator has to decide after a restore; null if there is nothing. People are named by number only. */
async function findToDecide(database: Database): Promise<Finding | null> {
  const unsigned = await listUnsignedIds(database);
  const requested = await listRestoredIds(database);
  const shown = await listShownAfterBackup(database);
  const questions: [about: readonly number[], finding: string, advice: string][] = [
    [
      unsigned,
      "asked to be erased before the data was restored, without a signed request",
      "Erase these, who are hidden, with `credence passport erase`, or show them with `credence passport unhide`.",
    ],
    [
      requested,
      "asked to be erased, and the request may have ended after the backup",
      "Find the requests with `credence requests list`, and approve or refuse them.",
    ],
    [
      shown,
      "shown after the backup, and hidden here",
      "Show these with `credence passport unhide`, or leave them hidden with `credence passport hide`.",
    ],
  ];
  const open = questions.filter(([about]) => about.length > 0);
  if (open.length === 0) return null;
  return {
    state: "warning",
    finding: open.map(([about, finding]) => `${finding}: ${about.join(", ")}`).join("; "),
    advice: open.map(([, , advice]) => advice).join(" "),
    passport_ids: [...unsigned, ...requested, ...shown],
  };
}
