import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { whenDone } from "#testing/when-done.ts";
import { openRegular } from "./open-file.ts";
import { readBytes } from "./read-bytes.ts";
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

// Larger than a chunk, so that frames end within chunks and between them.
const first = `${"first line\n".repeat(60_000)}${Math.random()}\n`;
const second = `${"second line\n".repeat(60_000)}end\n`;

/** As the zstd command packs. Without its own checksum, only the manifest tells that a byte was changed. */
const CHECKED = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

describe("readBytes", () => {
  test("reads plain, gzip and zstd, whatever the file is called", async () => {
    expect(await readAll(Buffer.from(first))).toBe(first);
    expect(await readAll(gzipSync(first))).toBe(first);
    expect(await readAll(zstdCompressSync(first))).toBe(first);
    expect(await readAll(Buffer.alloc(0))).toBe("");
  });

  test("two gzip members are read whole", async () => {
    expect(await readAll(Buffer.concat([gzipSync(first), gzipSync(second)]))).toBe(first + second);
  });

  const incompressible = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)));
  const large = Buffer.concat(Array.from({ length: 10 }, () => incompressible)).toString("base64");
  test.each([
    ["small ones", first, second],
    ["a large first one", large, second],
    ["a large second one", first, large],
    ["large ones", large, large],
  ])("two zstd frames, %s, are read whole or refused, never half", async (_, one, other) => {
    const both = Buffer.concat([zstdCompressSync(one), zstdCompressSync(other)]);
    const outcome = await readAll(both).catch((error: unknown) => error);
    if (typeof outcome === "string") expect(outcome === one + other).toBe(true);
    else {
      expect(outcome).toBeInstanceOf(SnapshotRefused);
      expect((outcome as SnapshotRefused).advice).toContain("zstd -dc FILE | zstd -o NEW.zst");
    }
  });

  test.each([
    ["zstd", zstdCompressSync(Buffer.alloc(128 * 1_048_576, "\n"))],
    ["gzip", gzipSync(Buffer.alloc(128 * 1_048_576, "\n"))],
  ])("a %s file that unpacks to hundreds of times its size is refused", async (_, bytes) => {
    await expect(readAll(bytes)).rejects.toThrow("unpacks to more than 250 times its size");
  });

  test.each([
    ["zstd cut off", zstdCompressSync(first).subarray(0, -9)],
    ["gzip cut off", gzipSync(first).subarray(0, -9)],
    ["zstd with something after it", Buffer.concat([zstdCompressSync(first), Buffer.from("more")])],
    ["gzip with something after it", Buffer.concat([gzipSync(first), Buffer.from("more")])],
    ["zstd with a changed byte", Buffer.from(zstdCompressSync(large, CHECKED)).fill(0xff, 2_000, 2_040)],
    ["four bytes that promise zstd", Buffer.from("28b52ffd", "hex")],
  ])("%s is refused", async (_, bytes) => {
    await expect(readAll(bytes)).rejects.toThrow(SnapshotRefused);
  });
});
