import type { KeyObject } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Manifest } from "@credence/contract/snapshot.ts";
import { compressionOf, detectCompression, type OnRaw, readUnchanged } from "./decompress.ts";
import { openListed, readManifest, type Signature } from "./manifest.ts";
import { openRegular } from "./open-file.ts";
import { SnapshotRefused } from "./refused.ts";
import { requirePeople } from "./require-people.ts";

type Chunks = AsyncIterable<Buffer>;

/** `bytes` is null for a stream. `onRaw` gets the bytes before decompression. */
export type SourceFile = { name: string; bytes: number | null; read: (onRaw: OnRaw) => Chunks };

/** The input of an import: a snapshot, a file, or standard input. */
export type Source = {
  files: SourceFile[];
  decisions: SourceFile | null;
  manifest: Manifest | null;
  signature: Signature;
  /**
   * Reads all files once, and returns how many people they have; null if that is not known. Throws if a
   * file is incomplete or does not match the manifest.
   */
  check: (onRaw: OnRaw) => Promise<number | null>;
};

/** Opens a path, or standard input if it is passed. */
export async function openSource(
  path: string,
  publicKeys: readonly KeyObject[],
  stdin: AsyncIterable<string | Buffer> | null = null,
): Promise<Source> {
  const found = stdin === null ? await statOf(path) : null;
  if (found?.isDirectory()) return openFolder(path, publicKeys);
  if (publicKeys.length > 0) {
    throw new SnapshotRefused("Only a snapshot folder can be signed.", "Omit --public-key, or pass the folder.");
  }
  if (found === null) return openStream("standard input", stdin as AsyncIterable<Buffer>);
  return found.isFile() ? openFile(path) : openStream(path, createReadStream(path));
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = code === "ENOENT" ? `"${path}" does not exist.` : `"${path}" cannot be read: ${code}.`;
    throw new SnapshotRefused(message, "Pass a folder, a file, or - for standard input.", { cause: error });
  }
}

async function openFolder(folder: string, publicKeys: readonly KeyObject[]): Promise<Source> {
  const { manifest, signature } = await readManifest(folder, publicKeys);
  const files: SourceFile[] = [];
  for (const listed of manifest.files) {
    const { read, ...file } = await openListed(folder, listed);
    files.push({ ...file, read: (onRaw) => requirePeople(read(onRaw), `"${join(folder, listed.name)}"`) });
  }
  const decisions = manifest.decisions === undefined ? null : await openListed(folder, manifest.decisions);
  return {
    files,
    decisions,
    manifest,
    signature,
    check: async (onRaw) => {
      for (const file of [...files, decisions]) if (file !== null) await countLines(file, onRaw);
      return manifest.people;
    },
  };
}

const NEWLINE = 10;

/** The last line may lack its end. */
async function countLines(file: SourceFile, onRaw: OnRaw): Promise<number> {
  let lines = 0;
  let last = NEWLINE;
  for await (const chunk of file.read(onRaw)) {
    for (let index = chunk.indexOf(NEWLINE); index >= 0; index = chunk.indexOf(NEWLINE, index + 1)) lines += 1;
    last = chunk.at(-1) ?? last;
  }
  return last === NEWLINE ? lines : lines + 1;
}

async function openFile(path: string): Promise<Source> {
  const { file: opened, state } = await openRegular(path, "follow");
  const compression = await detectCompression(opened).finally(() => opened.close());
  const file: SourceFile = {
    name: basename(path),
    bytes: state.bytes,
    read: (onRaw) => requirePeople(readUnchanged(path, "follow", state, onRaw), `"${path}"`),
  };
  // Only the end of a compressed file shows whether it is complete. Plain text needs no check.
  return sourceOf(file, compression === null ? undefined : (onRaw) => countLines(file, onRaw));
}

function openStream(name: string, stream: AsyncIterable<Buffer>): Source {
  return sourceOf({ name, bytes: null, read: (onRaw) => requirePeople(readPlain(stream, onRaw), name) });
}

/** A source of a single file, without a manifest. */
export const sourceOf = (file: SourceFile, check: Source["check"] = async () => null): Source => ({
  files: [file],
  decisions: null,
  manifest: null,
  signature: "none",
  check,
});

/** Refuses compressed input: a stream cannot be read twice, so it cannot be checked first. */
async function* readPlain(chunks: AsyncIterable<Buffer>, onRaw: OnRaw): AsyncGenerator<Buffer> {
  let first = true;
  for await (const chunk of chunks) {
    const compression = first ? compressionOf(chunk) : null;
    if (compression !== null) {
      throw new SnapshotRefused(
        `The input is compressed with ${compression}.`,
        `Decompress it: ${compression} -dc FILE | credence import -`,
      );
    }
    first = false;
    onRaw(chunk);
    yield chunk;
  }
}
