import { type FileHandle, open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
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
 * The bytes of a file, unpacked; `onRaw` sees them as they lie there. Node's decoder of zstd stops after the first frame that
 * it finishes within a chunk and loses the rest without a word, so a file that was not consumed whole is refused.
 */
export async function* readBytes(path: string, onRaw: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    yield* unpack(file, path, onRaw);
  } finally {
    await file.close();
  }
}

async function* unpack(file: FileHandle, path: string, onRaw: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  const raw = seen(file.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, autoClose: false }), onRaw);
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
    yield* decoder;
  } catch (error) {
    // It closes early when it meets the end of a frame before the end of the file.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw notUnpacked(path, packing, error);
  }
  if (decoder.bytesWritten !== (await file.stat()).size) throw notWhole(path, packing);
}

export async function findPacking(file: FileHandle): Promise<Packing> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return packingOf(buffer.subarray(0, bytesRead));
}

async function* seen(chunks: AsyncIterable<Buffer>, see: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    see(chunk);
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
