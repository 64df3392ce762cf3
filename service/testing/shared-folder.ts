import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { RUN_PREFIX, urlOf } from "./server.ts";

const PLACE = join(tmpdir(), RUN_PREFIX);

/**
 * A folder that all test files of a run share. The first that needs it fills it, while the others
 * wait. Returns its path.
 */
export async function sharedFolder(name: string, fill: (folder: string) => void): Promise<string> {
  const folder = join(PLACE, name);
  const holder = new pg.Client({ connectionString: urlOf("postgres") });
  await holder.connect();
  try {
    await holder.query("select pg_advisory_lock(hashtextextended($1, 0))", [folder]);
    if (!existsSync(folder)) {
      mkdirSync(PLACE, { recursive: true });
      const unfinished = mkdtempSync(`${folder}-`);
      fill(unfinished);
      renameSync(unfinished, folder);
    }
    return folder;
  } finally {
    await holder.end();
  }
}

export const removeSharedFolders = (): void => rmSync(PLACE, { recursive: true, force: true });
