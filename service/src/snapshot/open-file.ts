import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { SnapshotRefused } from "./refused.ts";

/** Which file it is, and in which state. A write changes `changed`, a replacement `inode`; the owner cannot set either back. */
export type FileState = { device: bigint; inode: bigint; bytes: number; changed: bigint };

export type OpenedFile = { file: FileHandle; state: FileState };

/**
 * Opens a regular file, and nothing else: a device may never end, a pipe blocks until somebody writes. In a snapshot's folder a link
 * is refused as well, as it leads out of the folder.
 */
export async function openRegular(path: string, links: "follow" | "refuse"): Promise<OpenedFile> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (links === "refuse" ? constants.O_NOFOLLOW : 0);
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    // ELOOP is a link, ENXIO a socket.
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

/** Throws if the file has been written to or replaced since. */
export async function requireUnchanged(path: string, file: FileHandle, state: FileState): Promise<void> {
  const now = stateOf(await file.stat({ bigint: true }));
  if (now.inode === state.inode && now.device === state.device && now.changed === state.changed) return;
  throw new SnapshotRefused(
    `${path} was changed while it was read.`,
    "Wait until nothing writes to it, then run this again.",
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
    `${path} is not a regular file.`,
    "A snapshot holds plain files: no links, devices, pipes or sockets. Copy what it should be in its place.",
    { cause },
  );
