import { expect, test } from "vitest";
import { type Line, splitLines } from "./lines.ts";

async function* chunksOf(...chunks: readonly (string | Buffer)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function split(maxBytes: number, ...chunks: readonly (string | Buffer)[]) {
  const found: Line[] = [];
  for await (const lines of splitLines(chunksOf(...chunks), maxBytes)) found.push(...lines);
  return found.map(({ number, bytes, tooLong }) => [number, bytes.toString().slice(0, 9), tooLong]);
}

test("lines are numbered over chunks, blank ones too, and the last needs no end", async () => {
  expect(await split(9, "a", "b\n \t\r\n\nc", "\nd")).toEqual([
    [1, "ab", false],
    [4, "c", false],
    [5, "d", false],
  ]);
});

test("of a line that is too long, the beginning is kept, and the next one is whole", async () => {
  expect(await split(4, "12345", "678\nabcd\n")).toEqual([
    [1, "12345", true],
    [2, "abcd", false],
  ]);
});

test("a line without an end and a million blank lines are refused, without their bytes in memory", async () => {
  const part = Buffer.alloc(32 * 1_048_576, "x");
  await expect(split(4, ...Array.from({ length: 9 }, () => part))).rejects.toThrow("Line 1 is longer than 256 MiB.");
  await expect(split(4, "a\n", "\n".repeat(1_000_001))).rejects.toThrow("more than 1000000 blank lines");
});
