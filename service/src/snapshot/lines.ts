import { SnapshotRefused } from "./refused.ts";

/** A line of a file, counted from 1. Of one that is too long, `bytes` holds only the beginning. */
export type Line = { number: number; bytes: Buffer; tooLong: boolean };

const NEWLINE = 0x0a;

/** How much of a line that is too long is kept, to recognise it by. */
const KEPT_BYTES = 1_024;

/** Input that goes on like this holds no people, however long it is read. */
const LONGEST_LINE_BYTES = 256 * 1_048_576;
const MOST_BLANK_LINES = 1_000_000;

/**
 * Cuts a stream of bytes into lines, holding no more than one line of `maxBytes` at a time. Blank lines are counted and left out.
 * Refuses endless lines and endless blank lines.
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line[]> {
  let number = 0;
  let blank = 0;
  let begun: Buffer[] = [];
  let begunBytes = 0;

  const begin = (part: Buffer) => {
    begunBytes += part.length;
    if (begunBytes > LONGEST_LINE_BYTES) throw endless(`Line ${number + 1} does not end within 256 MiB.`);
    // What is past the bound is counted, not kept.
    if (begunBytes - part.length <= maxBytes) begun.push(part);
  };
  /** Null for a blank line. */
  const finish = (rest: Buffer): Line | null => {
    number += 1;
    if (rest.length > 0 || begunBytes > 0) begin(rest);
    const whole = begun.length === 1 ? (begun[0] as Buffer) : Buffer.concat(begun);
    const tooLong = begunBytes > maxBytes;
    begun = [];
    begunBytes = 0;
    if (!tooLong && isBlank(whole)) {
      blank += 1;
      if (blank > MOST_BLANK_LINES) throw endless(`There are more than ${MOST_BLANK_LINES} blank lines.`);
      return null;
    }
    return { number, bytes: tooLong ? Buffer.from(whole.subarray(0, KEPT_BYTES)) : whole, tooLong };
  };

  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = finish(chunk.subarray(start, end));
      if (line !== null) lines.push(line);
      start = end + 1;
    }
    if (start < chunk.length) begin(chunk.subarray(start));
    yield lines;
  }
  const last = begunBytes > 0 ? finish(Buffer.alloc(0)) : null;
  if (last !== null) yield [last];
}

const isBlank = (bytes: Buffer): boolean =>
  bytes.length === 0 || (bytes.length <= 64 && /^[ \t\r]*$/.test(bytes.toString("latin1")));

const endless = (problem: string): SnapshotRefused =>
  new SnapshotRefused(problem, "This is no file of people, one a line. docs/SNAPSHOTS.md describes one.");
