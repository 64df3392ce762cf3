import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { type FileState, openRegular, requireUnchanged } from "./open-file.ts";
import { SnapshotRefused } from "./refused.ts";
import { isTruncated } from "./zstd-frames.ts";

const CHUNK_BYTES = 262_144;

/** Gets the bytes before decompression. */
export type OnRaw = (chunk: Buffer) => void;

export type Compression = "zstd" | "gzip" | null;

/** Detects the compression by the first bytes of a file, not by its name. */
export function compressionOf(start: Uint8Array): Compression {
  const magic = Buffer.from(start.subarray(0, 4)).toString("hex");
  // The second magic number is a skippable frame. Some compressors begin with one.
  if (magic === "28b52ffd" || /^5.2a4d18$/.test(magic)) return "zstd";
  return magic.startsWith("1f8b") ? "gzip" : null;
}

/**
 * Reads and decompresses an open file. `onRaw` gets the compressed bytes. Throws at the first chunk
 * that is read after the file was changed or replaced.
 *
 * Node's zstd decoder stops after the first frame that ends within a chunk, and silently loses the
 * rest. A file that was not consumed completely is therefore refused.
 */
export async function* readBytes(
  { path, file, state }: { path: string; file: FileHandle; state: FileState },
  onRaw: OnRaw,
): AsyncGenerator<Buffer> {
  const raw = readRaw(path, file, state, onRaw);
  const compression = await detectCompression(file);
  if (compression === null) {
    yield* raw;
    return;
  }
  if (compression === "zstd" && (await isTruncated(file, state.bytes)))
    throw damaged(path, compression, new Error("unexpected end of file"));
  const decoder =
    compression === "zstd"
      ? createZstdDecompress({ chunkSize: CHUNK_BYTES })
      : createGunzip({ chunkSize: CHUNK_BYTES });
  try {
    // Errors of both streams are thrown by the loop over the decoder.
    pipeline(raw, decoder, () => {});
    yield* withinRatio(decoder, path, state.bytes);
  } catch (error) {
    if (error instanceof SnapshotRefused) throw error;
    // The decoder closes early if a frame ends before the file does. The check below handles that.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw damaged(path, compression, error);
  }
  if (decoder.bytesWritten !== state.bytes) throw hasTrailingData(path, compression);
}

/** Opens, reads and decompresses a file. Throws if its state is no longer `state`. */
export async function* readUnchanged(
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

export async function detectCompression(file: FileHandle): Promise<Compression> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return compressionOf(buffer.subarray(0, bytesRead));
}

async function* readRaw(path: string, file: FileHandle, state: FileState, onRaw: OnRaw): AsyncGenerator<Buffer> {
  const chunks = file.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, autoClose: false });
  for await (const chunk of chunks) {
    await requireUnchanged(path, file, state);
    onRaw(chunk);
    yield chunk;
  }
  await requireUnchanged(path, file, state);
}

/** People compress by a factor of 10 to 20. A much higher ratio is a decompression bomb. */
const MAX_RATIO = 250;
/** Small files may exceed the ratio. */
const ALWAYS_ALLOWED_BYTES = 32 * 1_048_576;

async function* withinRatio(chunks: AsyncIterable<Buffer>, path: string, fileBytes: number): AsyncGenerator<Buffer> {
  const maxBytes = ALWAYS_ALLOWED_BYTES + MAX_RATIO * fileBytes;
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new SnapshotRefused(
        `"${path}" decompresses to more than ${MAX_RATIO} times its size.`,
        "It is damaged or a decompression bomb. If you trust it, decompress it yourself and import the result.",
      );
    }
    yield chunk;
  }
}

const damaged = (path: string, compression: string, cause: unknown): SnapshotRefused =>
  new SnapshotRefused(
    `"${path}" cannot be decompressed with ${compression}: ${(cause as Error).message}.`,
    "It is damaged or truncated. Download or export it again.",
    { cause },
  );

const hasTrailingData = (path: string, compression: string): SnapshotRefused =>
  new SnapshotRefused(
    `"${path}" contains data after its first ${compression} frame.`,
    `Compress it again as one frame: ${
      compression === "zstd" ? "zstd -dc FILE | zstd -o NEW.zst" : "gzip -dc FILE | gzip > NEW.gz"
    }`,
  );
