import { open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { constants, createZstdCompress, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { testFolder } from "#testing/folder.ts";
import { isTruncated } from "./zstd-frames.ts";

const folder = testFolder();

async function check(bytes: Buffer): Promise<boolean> {
  const path = join(folder, "file.zst");
  await writeFile(path, bytes);
  const file = await open(path);
  try {
    return await isTruncated(file, bytes.length);
  } finally {
    await file.close();
    await rm(path);
  }
}

/** As a program that does not know the size of the content. */
function compressStream(content: Buffer, checksum: number): Promise<Buffer> {
  const encoder = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: checksum } });
  encoder.end(content);
  return buffer(encoder);
}

const EMPTY_SKIPPABLE = Buffer.from("502a4d1800000000", "hex");
const random = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)));

test.each([
  ["a small frame", zstdCompressSync("first line\n".repeat(10))],
  ["nothing", zstdCompressSync("")],
  ["blocks of one repeated byte", zstdCompressSync(Buffer.alloc(500_000, "\n"))],
  ["blocks that are not compressed", zstdCompressSync(Buffer.concat([random, random, random]))],
  ["a frame without its size", await compressStream(Buffer.concat([Buffer.alloc(300_000, "text "), random]), 0)],
  ["a frame with a checksum", await compressStream(Buffer.alloc(300_000, "text "), 1)],
  ["a skippable frame first", Buffer.concat([EMPTY_SKIPPABLE, zstdCompressSync("text")])],
])("every cut of %s is found, and the whole is none", async (_, bytes) => {
  expect(await check(bytes)).toBe(false);
  expect(await check(Buffer.concat([bytes, bytes]))).toBe(false);
  const start = bytes.subarray(0, 8).equals(EMPTY_SKIPPABLE) ? 9 : 1;
  const step = Math.ceil(bytes.length / 200);
  for (let length = start; length < bytes.length; length += step) {
    expect(await check(bytes.subarray(0, length)), `${length} of ${bytes.length} bytes`).toBe(true);
  }
  expect(await check(bytes.subarray(0, -1))).toBe(true);
});
