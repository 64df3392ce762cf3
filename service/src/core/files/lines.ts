import { SnapshotRefused } from "./refused.ts";

/** A line, numbered from 1. If it is too long, `bytes` contains only its beginning. */
export type Line = { number: number; bytes: Buffer; tooLong: boolean };

const NEWLINE = 0x0a;

/** How much of a line that is too long is reported. */
const EXCERPT_BYTES = 1_024;

/** Beyond these limits the input is refused as a whole. */
const MAX_LINE_BYTES = 256 * 1_048_576;
const MAX_BLANK_LINES = 1_000_000;

/**
 * Splits a stream of bytes into lines. Blank lines are numbered but skipped. Memory is bounded: of
 * a line longer than `maxBytes`, the rest is counted but not stored.
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line[]> {
  let number = 0;
  let blank = 0;
  /** The parts of the current line. */
  let parts: Buffer[] = [];
  let lineBytes = 0;

  const append = (part: Buffer) => {
    if (lineBytes <= maxBytes) parts.push(part);
    lineBytes += part.length;
    if (lineBytes > MAX_LINE_BYTES) throw notSnapshot(`Line ${number + 1} is longer than 256 MiB.`);
  };
  /** Returns null for a blank line. */
  const endLine = (): Line | null => {
    number += 1;
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const tooLong = lineBytes > maxBytes;
    parts = [];
    lineBytes = 0;
    if (!tooLong && isBlank(whole)) {
      blank += 1;
      if (blank > MAX_BLANK_LINES) throw notSnapshot(`The input has more than ${MAX_BLANK_LINES} blank lines.`);
      return null;
    }
    return { number, bytes: tooLong ? Buffer.from(whole.subarray(0, EXCERPT_BYTES)) : whole, tooLong };
  };

  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      append(chunk.subarray(start, end));
      const line = endLine();
      if (line !== null) lines.push(line);
      start = end + 1;
    }
    if (start < chunk.length) append(chunk.subarray(start));
    yield lines;
  }
  const last = lineBytes > 0 ? endLine() : null;
  if (last !== null) yield [last];
}

const isBlank = (bytes: Buffer): boolean =>
  bytes.length === 0 || (bytes.length <= 64 && /^[ \t\r]*$/.test(bytes.toString("latin1")));

const notSnapshot = (problem: string): SnapshotRefused =>
  new SnapshotRefused(problem, "The input must have one person per line. docs/SNAPSHOTS.md describes the format.");
