import type { KeyObject } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Latest } from "@credence/contract/snapshot.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { MANIFEST_NAME } from "#core/files/write-manifest.ts";
import { LATEST_NAME, parseLatest, writeLatest } from "#mirror/latest.ts";

// The folder that the web server reads: its group may read all of it, others nothing. New files have the
// group of a folder with the set-group-ID bit. The unit of the worker may not set that bit itself.
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;

const SNAPSHOT = /^\d{4}-\d{2}-\d{2}T\d{6}Z$/;
const UNFINISHED = /^\d{4}-\d{2}-\d{2}T\d{6}Z\.part$/;
/** Files of this program, and of the system on a disk of its own. */
const OWN = /^(latest\.json(\.part)?|lost\+found)$/;

export const nameOf = (createdAt: string): string => `${createdAt.slice(0, 19).replaceAll(":", "")}Z`;

/** The last file that was published; null in a new folder. Its key may be an older one. */
export async function readPublished(folder: string): Promise<Latest | null> {
  try {
    return parseLatest(await readFile(join(folder, LATEST_NAME)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** A new folder has nothing else: the web server would give it to mirrors. */
export async function requireOwnFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const other = names.find((name) => !(OWN.test(name) || SNAPSHOT.test(name) || UNFINISHED.test(name)));
  if (other === undefined) return;
  throw new SnapshotRefused(
    `"${folder}" contains "${other}", which your web server would give to mirrors.`,
    "Publish into a new or an empty folder.",
  );
}

/** `write` fills a new folder. Only when it is complete, the folder gets its name. */
export async function addSnapshot<Result>(
  folder: string,
  name: string,
  write: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = join(folder, name);
  const part = `${path}.part`;
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  try {
    const result = await write(part);
    for (const file of await readdir(part)) await chmod(join(part, file), FILE_MODE);
    await chmod(part, FOLDER_MODE);
    await rename(part, path);
    return result;
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

export async function replaceLatest(folder: string, latest: Latest, key: KeyObject): Promise<void> {
  const path = join(folder, LATEST_NAME);
  await writeFile(`${path}.part`, writeLatest(latest, key), { mode: FILE_MODE, flush: true });
  await chmod(`${path}.part`, FILE_MODE);
  await rename(`${path}.part`, path);
}

/** Deletes all snapshots but one, and what a run that was killed has left. */
export async function deleteOthers(folder: string, kept: string | null): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name === kept || !(SNAPSHOT.test(name) || UNFINISHED.test(name))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** How long ago the snapshot was complete. */
export async function ageOf(folder: string, name: string): Promise<number> {
  const { mtimeMs } = await stat(join(folder, name, MANIFEST_NAME));
  return Date.now() - mtimeMs;
}
