import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { SnapshotRefused } from "./refused.ts";

/** A write changes `changed`, a replacement `inode`. The owner can reset neither. */
export type FileState = { device: bigint; inode: bigint; bytes: number; changed: bigint };

export type OpenedFile = { file: FileHandle; state: FileState };

/**
 * Opens a regular file. Refuses devices, which may be endless, and pipes, which block until a
 * process writes. In a snapshot folder, links are refused too: they can lead out of the folder.
 */
export async function openRegular(path: string, links: "follow" | "refuse"): Promise<OpenedFile> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (links === "refuse" ? constants.O_NOFOLLOW : 0);
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    // ELOOP: the path is a link. ENXIO: it is a socket.
    if (error.code === "ELOOP" || error.code === "ENXIO") throw notRegular(path, error);
    throw error;
  });
  try {
    const found = await file.stat({ bigint: true });
    if (!found.isFile()) throw notRegular(path);
    return { file, state: stateOf(found) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Throws if the file was written to or replaced since `state` was read. */
export async function requireUnchanged(path: string, file: FileHandle, state: FileState): Promise<void> {
  const now = stateOf(await file.stat({ bigint: true }));
  if (now.inode === state.inode && now.device === state.device && now.changed === state.changed) return;
  throw new SnapshotRefused(
    `"${path}" was changed while it was read.`,
    "Wait until no program writes to it, then run the command again.",
  );
}

const stateOf = ({ dev, ino, size, ctimeNs }: BigIntStats): FileState => ({
  device: dev,
  inode: ino,
  bytes: Number(size),
  changed: ctimeNs,
});

const notRegular = (path: string, cause?: unknown): SnapshotRefused =>
  new SnapshotRefused(
    `"${path}" is not a regular file.`,
    "A snapshot contains regular files only: no links, devices, pipes or sockets. Replace it by a copy of the file.",
    { cause },
  );
