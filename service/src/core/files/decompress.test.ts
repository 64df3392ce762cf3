import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { whenDone } from "#testing/when-done.ts";
import { readBytes } from "./decompress.ts";
import { openRegular } from "./open-file.ts";
import { SnapshotRefused } from "./refused.ts";

const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
whenDone(() => rm(folder, { recursive: true }));

async function readAll(bytes: Buffer): Promise<string> {
  const path = join(folder, "file");
  await writeFile(path, bytes);
  let text = "";
  const { file, state } = await openRegular(path, "refuse");
  try {
    for await (const chunk of readBytes({ path, file, state }, () => {})) text += chunk;
    return text;
  } finally {
    await file.close();
  }
}

// Larger than a chunk, so that frames end both within a chunk and at its end.
const first = `${"first line\n".repeat(60_000)}${Math.random()}\n`;
const second = `${"second line\n".repeat(60_000)}end\n`;

/** The default of the zstd command. Node writes no checksum by default. */
const WITH_CHECKSUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

describe("readBytes", () => {
  test("reads plain, gzip and zstd files of any name", async () => {
    expect(await readAll(Buffer.from(first))).toBe(first);
    expect(await readAll(gzipSync(first))).toBe(first);
    expect(await readAll(zstdCompressSync(first))).toBe(first);
    expect(await readAll(Buffer.alloc(0))).toBe("");
  });

  test("reads both of two gzip members", async () => {
    expect(await readAll(Buffer.concat([gzipSync(first), gzipSync(second)]))).toBe(first + second);
  });

  const incompressible = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)));
  const large = Buffer.concat(Array.from({ length: 10 }, () => incompressible)).toString("base64");
  test.each([
    ["both small", first, second],
    ["the first large", large, second],
    ["the second large", first, large],
    ["both large", large, large],
  ])("reads two zstd frames, %s, completely or refuses the file", async (_, a, b) => {
    const outcome = await readAll(Buffer.concat([zstdCompressSync(a), zstdCompressSync(b)])).catch(
      (error: unknown) => error,
    );
    if (typeof outcome === "string") expect(outcome === a + b).toBe(true);
    else {
      expect(outcome).toBeInstanceOf(SnapshotRefused);
      expect((outcome as SnapshotRefused).advice).toContain("zstd -dc FILE | zstd -o NEW.zst");
    }
  });

  test.each([
    ["zstd", zstdCompressSync(Buffer.alloc(128 * 1_048_576, "\n"))],
    ["gzip", gzipSync(Buffer.alloc(128 * 1_048_576, "\n"))],
  ])("refuses a %s file that decompresses to more than 250 times its size", async (_, bytes) => {
    await expect(readAll(bytes)).rejects.toThrow("decompresses to more than 250 times its size");
  });

  test.each([
    ["truncated zstd", zstdCompressSync(first).subarray(0, -9)],
    ["truncated gzip", gzipSync(first).subarray(0, -9)],
    ["zstd with trailing data", Buffer.concat([zstdCompressSync(first), Buffer.from("more")])],
    ["gzip with trailing data", Buffer.concat([gzipSync(first), Buffer.from("more")])],
    ["zstd with a changed byte", Buffer.from(zstdCompressSync(large, WITH_CHECKSUM)).fill(0xff, 2_000, 2_040)],
    ["the magic number of zstd only", Buffer.from("28b52ffd", "hex")],
  ])("refuses %s", async (_, bytes) => {
    await expect(readAll(bytes)).rejects.toThrow(SnapshotRefused);
  });
});
