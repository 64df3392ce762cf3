import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { type FileState, requireUnchanged } from "./open-file.ts";
import { SnapshotRefused } from "./refused.ts";

const CHUNK_BYTES = 262_144;

/** How a file is packed, told by its first bytes and not by its name. */
export type Packing = "zstd" | "gzip" | null;

export function packingOf(start: Uint8Array): Packing {
  const magic = Buffer.from(start.subarray(0, 4)).toString("hex");
  // The second is a frame to be skipped, with which some packers begin.
  if (magic === "28b52ffd" || /^5.2a4d18$/.test(magic)) return "zstd";
  return magic.startsWith("1f8b") ? "gzip" : null;
}

/**
 * The bytes of an open file, unpacked; `onRaw` sees them as they lie there. The file must stay as it was when `state` was taken: that
 * is checked with every chunk, so that a file that is swapped or grows stops the reader at once.
 *
 * Node's zstd decoder stops after the first frame that it finishes within a chunk and loses the rest silently, so a file that was not
 * consumed whole is refused.
 */
export async function* readBytes(
  { path, file, state }: { path: string; file: FileHandle; state: FileState },
  onRaw: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  const raw = watched(path, file, state, onRaw);
  const packing = await findPacking(file);
  if (packing === null) {
    yield* raw;
    return;
  }
  const decoder =
    packing === "zstd" ? createZstdDecompress({ chunkSize: CHUNK_BYTES }) : createGunzip({ chunkSize: CHUNK_BYTES });
  try {
    // Errors of either end up in the loop below.
    pipeline(raw, decoder, () => {});
    yield* withinRatio(decoder, path, state.bytes);
  } catch (error) {
    if (error instanceof SnapshotRefused) throw error;
    // It closes early when it meets the end of a frame before the end of the file.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw notUnpacked(path, packing, error);
  }
  if (decoder.bytesWritten !== state.bytes) throw notWhole(path, packing);
}

export async function findPacking(file: FileHandle): Promise<Packing> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return packingOf(buffer.subarray(0, bytesRead));
}

async function* watched(
  path: string,
  file: FileHandle,
  state: FileState,
  onRaw: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  const chunks = file.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, autoClose: false });
  for await (const chunk of chunks) {
    await requireUnchanged(path, file, state);
    onRaw(chunk);
    yield chunk;
  }
  await requireUnchanged(path, file, state);
}

/** People as JSON pack to a tenth or a twentieth. A small file that unpacks to far more is a bomb. */
const MOST_UNPACKED_PER_BYTE = 250;
const UNPACKED_ANYWAY_BYTES = 32 * 1_048_576;

async function* withinRatio(chunks: AsyncIterable<Buffer>, path: string, packedBytes: number): AsyncGenerator<Buffer> {
  const most = UNPACKED_ANYWAY_BYTES + MOST_UNPACKED_PER_BYTE * packedBytes;
  let unpacked = 0;
  for await (const chunk of chunks) {
    unpacked += chunk.length;
    if (unpacked > most) {
      throw new SnapshotRefused(
        `${path} unpacks to more than ${MOST_UNPACKED_PER_BYTE} times its size.`,
        "No file of people does: it is damaged, or made to fill a disk. If you trust it, unpack it yourself and import the result.",
      );
    }
    yield chunk;
  }
}

const notUnpacked = (path: string, packing: string, cause: unknown): SnapshotRefused =>
  new SnapshotRefused(
    `${path} is ${packing}, but cannot be unpacked: ${(cause as Error).message}.`,
    "It is damaged or cut off. Fetch or make it again.",
    { cause },
  );

const notWhole = (path: string, packing: string): SnapshotRefused =>
  new SnapshotRefused(
    `${path} holds more than one ${packing} frame, and what follows the first would be lost.`,
    packing === "zstd"
      ? "Pack it anew as one: zstd -dc FILE | zstd -o NEW.zst"
      : "Pack it anew as one: gzip -dc FILE | gzip > NEW.gz",
  );
