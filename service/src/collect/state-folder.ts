import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { SnapshotRefused } from "#core/files/refused.ts";
import { MANIFEST_NAME } from "#core/files/write-manifest.ts";

/** The folder of an unfinished collection, beside its snapshot. It contains personal data. */
export type StateFolder = {
  /** A previous run has written the snapshot, and was ended before it removed this folder. */
  isFinished: boolean;
  pathOf: (name: string) => string;
  /** Moves the finished snapshot and its report into place. */
  publish: () => Promise<void>;
  /** Keeps a file of responses beside the snapshot. Returns its path. */
  keepResponses: (name: string) => Promise<string>;
  remove: () => Promise<void>;
  /** Lets another process use the folder. */
  release: () => void;
};

export const reportPathOf = (out: string): string => `${resolve(out)}-report.ndjson`;

export async function openStateFolder(out: string): Promise<StateFolder> {
  const target = resolve(out);
  const folder = `${target}.state`;
  const isResumed = existsSync(folder);
  const isWritten = existsSync(join(target, MANIFEST_NAME));
  if (!(isResumed && isWritten)) await requireEmpty(target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const release = await lock(folder);
  const pathOf = (name: string) => join(folder, name);
  return {
    isFinished: isResumed && isWritten,
    pathOf,
    publish: async () => {
      await rename(pathOf("report"), reportPathOf(out));
      await rename(pathOf("snapshot"), target);
    },
    keepResponses: async (name) => {
      const path = `${target}-responses.ndjson`;
      await rename(pathOf(name), path);
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
    release,
  };
}

async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (names.length > 0) throw new SnapshotRefused(`"${folder}" is not empty.`, "Pass an empty or new folder to --out.");
}

/**
 * The lock is a socket in the abstract namespace of Linux: only one process can have it, and the
 * kernel releases it when the process ends, however it ends. Other systems have no such sockets,
 * and there two processes are not kept apart.
 */
async function lock(folder: string): Promise<() => void> {
  if (process.platform !== "linux") return () => {};
  const { dev, ino } = await stat(folder, { bigint: true });
  const server = createServer();
  const { promise, resolve: listening, reject } = Promise.withResolvers<void>();
  server.on("error", reject);
  server.listen({ path: `\0credence-collect-${dev}-${ino}` }, listening);
  await promise.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new SnapshotRefused(
      `Another process is collecting into the same folder: "${folder}" is locked.`,
      "Wait until it ends, or pass another folder to --out.",
    );
  });
  server.unref();
  return () => void server.close();
}
