import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { type Line, splitLines } from "./lines.ts";

async function* streamOf(chunks: readonly Buffer[]) {
  yield* chunks;
}

async function split(chunks: readonly Buffer[], maxBytes = 100): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const some of splitLines(streamOf(chunks), maxBytes)) lines.push(...some);
  return lines;
}

describe("splitLines", () => {
  test("returns the same lines for any chunk boundaries", async () => {
    const content = fc.string({ unit: fc.constantFrom("a", "é", "\n", "\r", " "), maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(content, fc.array(fc.nat(250)), async (text, cuts) => {
        const bytes = Buffer.from(text);
        const boundaries = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = boundaries.slice(1).map((end, index) => bytes.subarray(boundaries[index], end));
        const expected = text
          .split("\n")
          .map((line, index) => ({ number: index + 1, text: line }))
          .filter((line) => /[^ \r\t]/.test(line.text));
        const lines = await split(chunks, 1_000);
        expect(lines.map(({ number, bytes: line }) => ({ number, text: line.toString() }))).toEqual(expected);
      }),
      { numRuns: scaled(500, 100) },
    );
  });

  test("truncates a line that is too long and reads the next line completely", async () => {
    const long = Buffer.from("x".repeat(5_000));
    const lines = await split([Buffer.from("one\n"), long, long, Buffer.from("\ntwo")], 100);
    expect(lines.map(({ number, tooLong }) => ({ number, tooLong }))).toEqual([
      { number: 1, tooLong: false },
      { number: 2, tooLong: true },
      { number: 3, tooLong: false },
    ]);
    expect(lines[1]?.bytes.length).toBe(1_024);
    expect(lines[2]?.bytes.toString()).toBe("two");
  });

  test.each([
    ["line", 0x20, "Line 1 is longer than 256 MiB."],
    ["run of blank lines", 0x0a, "The input has more than 1000000 blank lines."],
  ])("refuses an endless %s in bounded memory", async (_, byte, message) => {
    async function* endless() {
      for (;;) yield Buffer.alloc(1_048_576, byte);
    }
    const before = process.memoryUsage().rss;
    const read = async () => {
      for await (const lines of splitLines(endless(), 1_048_576)) expect(lines).toEqual([]);
    };
    await expect(read()).rejects.toThrow(message);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1_048_576);
  });
});
