import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "#core/config/config.ts";
import { type Finding, ok, warning } from "#core/terminal/check.ts";

const MAX_AGE_HOURS = 48;
const HOUR_MS = 3_600_000;
const ADVICE =
  "Make one: systemctl start credence-backup, whose log says why it failed; with compose, docs/reference/compose.md, section Back up.";

/**
 * Whether the newest backup is older than two days: a folder of deploy/systemd/back-up.sh, named by its time, or
 * a dump of the commands for compose, named by its day.
 */
export async function checkBackups({ backupFolder }: Pick<Config, "backupFolder">): Promise<Finding> {
  if (backupFolder === null) return ok("not checked: BACKUP_FOLDER is not set");
  try {
    const names = (await readdir(backupFolder)).filter((name) => /^20.*Z$|^credence-.*\.dump$/.test(name)).sort();
    const newest = names.at(-1);
    if (newest === undefined) return warning(`there is none in ${backupFolder}`, ADVICE);
    const { mtimeMs } = await stat(join(backupFolder, newest, newest.endsWith("Z") ? "credence.dump" : ""));
    const hours = Math.floor((Date.now() - mtimeMs) / HOUR_MS);
    const finding = `${newest} in ${backupFolder} is the newest of ${names.length}`;
    return hours > MAX_AGE_HOURS ? warning(`${finding}, and older than two days`, ADVICE) : ok(finding);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    return warning(`${path ?? backupFolder} cannot be read: ${code}`, `Correct BACKUP_FOLDER. ${ADVICE}`);
  }
}
