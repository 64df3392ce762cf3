import { createHash, type KeyObject } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Manifest } from "@credence/contract/snapshot.ts";
import { readManifest } from "./manifest.ts";
import { type FileState, openRegular, requireUnchanged } from "./open-file.ts";
import { findPacking, packingOf, readBytes } from "./read-bytes.ts";
import { requirePeople } from "./recognise.ts";
import { SnapshotRefused } from "./refused.ts";

type Chunks = AsyncIterable<Buffer>;
type OnRaw = (chunk: Buffer) => void;

/** A file of people, or standard input, whose size nobody knows. */
export type SourceFile = { name: string; bytes: number | null; read: (onRaw: OnRaw) => Chunks };

/** What people are read from: a snapshot, one file, or standard input. */
export type Source = {
  files: SourceFile[];
  optOut: SourceFile | null;
  manifest: Manifest | null;
  /** Signed, but nobody gave a key to check it by. */
  unchecked: boolean;
  /** Reads everything once, to be sure that it is whole and what it should be. Throws if not. */
  check: (onRaw: OnRaw) => Promise<void>;
};

export async function openSource(path: string, publicKey: KeyObject | null): Promise<Source> {
  const found = path === "-" ? null : await statOf(path);
  if (found?.isDirectory()) return openFolder(path, publicKey);
  if (publicKey !== null) {
    throw new SnapshotRefused(
      "Only a snapshot, a folder with a manifest, can be signed.",
      "Leave --public-key out, or name the folder.",
    );
  }
  if (found === null) return openStream("standard input", process.stdin);
  return found.isFile() ? openFile(path) : openStream(path, createReadStream(path));
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = code === "ENOENT" ? `There is no ${path}.` : `${path} cannot be read: ${code}.`;
    throw new SnapshotRefused(message, "Name a folder, a file, or - for standard input.", {
      cause: error,
    });
  }
}

async function openFolder(folder: string, publicKey: KeyObject | null): Promise<Source> {
  const { manifest, signed } = await readManifest(folder, publicKey);
  const files: SourceFile[] = [];
  for (const listed of manifest.files) files.push(await openListed(folder, listed, requirePeople));
  const optOut = manifest.opt_out === undefined ? null : await openListed(folder, manifest.opt_out, (chunks) => chunks);
  return {
    files,
    optOut,
    manifest,
    unchecked: signed && publicKey === null,
    check: async (onRaw) => {
      for (const file of optOut === null ? files : [...files, optOut]) await readThrough(file, onRaw);
    },
  };
}

type ListedFile = { name: string; bytes: number; sha256: string };

/** A file of a folder, in the state in which it is now: every later read is of this state or fails. */
async function openListed(
  folder: string,
  { name, bytes, sha256 }: ListedFile,
  require: (chunks: Chunks, name: string) => Chunks,
): Promise<SourceFile> {
  const path = join(folder, name);
  const { file, state } = await openRegular(path, "refuse").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    throw new SnapshotRefused(
      `The manifest of ${folder} names ${name}, which is not there.`,
      "Fetch the snapshot again.",
      { cause },
    );
  });
  await file.close();
  if (state.bytes !== bytes) {
    throw new SnapshotRefused(
      `${path} has ${state.bytes} bytes; the manifest says ${bytes}.`,
      "It was damaged or changed on its way. Fetch the snapshot again.",
    );
  }
  return { name, bytes, read: (onRaw) => require(readListed(path, state, sha256, onRaw), path) };
}

/** Each time it is read, a file must turn out to be the one that the manifest names. */
async function* readListed(path: string, state: FileState, sha256: string, onRaw: OnRaw): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  yield* readUnchanged(path, "refuse", state, (chunk) => {
    hash.update(chunk);
    onRaw(chunk);
  });
  if (hash.digest("hex") === sha256) return;
  throw new SnapshotRefused(
    `${path} is not the file that the manifest names: its SHA-256 differs.`,
    "It was damaged or changed on its way. Fetch the snapshot again.",
  );
}

async function* readUnchanged(
  path: string,
  links: "follow" | "refuse",
  state: FileState,
  onRaw: OnRaw,
): AsyncGenerator<Buffer> {
  const { file } = await openRegular(path, links);
  try {
    await requireUnchanged(path, file, state);
    yield* readBytes({ path, file, state }, onRaw);
  } finally {
    await file.close();
  }
}

async function readThrough(file: SourceFile, onRaw: OnRaw): Promise<void> {
  for await (const _ of file.read(onRaw));
}

async function openFile(path: string): Promise<Source> {
  const { file: opened, state } = await openRegular(path, "follow");
  const packing = await findPacking(opened).finally(() => opened.close());
  const file: SourceFile = {
    name: basename(path),
    bytes: state.bytes,
    read: (onRaw) => requirePeople(readUnchanged(path, "follow", state, onRaw), path),
  };
  return {
    files: [file],
    optOut: null,
    manifest: null,
    unchecked: false,
    // Plain text is read once, a line at a time; what is packed may turn out not to be whole at its very end.
    check: packing === null ? async () => {} : (onRaw) => readThrough(file, onRaw),
  };
}

function openStream(name: string, stream: AsyncIterable<Buffer>): Source {
  const read = (onRaw: OnRaw) => requirePeople(readPlain(stream, onRaw), name);
  return {
    files: [{ name, bytes: null, read }],
    optOut: null,
    manifest: null,
    unchecked: false,
    check: async () => {},
  };
}

/** A stream cannot be read twice, so it cannot be seen to be whole before it is taken in. */
async function* readPlain(chunks: AsyncIterable<Buffer>, onRaw: OnRaw): AsyncGenerator<Buffer> {
  let first = true;
  for await (const chunk of chunks) {
    const packing = first ? packingOf(chunk) : null;
    if (packing !== null) {
      throw new SnapshotRefused(
        `What comes in is ${packing}.`,
        `Unpack it on the way: ${packing} -dc FILE | credence import -`,
      );
    }
    first = false;
    onRaw(chunk);
    yield chunk;
  }
}
