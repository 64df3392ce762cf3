/** A line of a file, counted from 1. Of one that is too long, `bytes` holds only the beginning. */
export type Line = { number: number; bytes: Buffer; tooLong: boolean };

const NEWLINE = 0x0a;

/** How much of a line that is too long is kept, to recognise it by. */
const KEPT_BYTES = 1_024;

/** Cuts a stream of bytes into lines, holding no more than one line of `maxBytes` at a time. Blank lines are counted and left out. */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line[]> {
  let number = 0;
  let begun: Buffer[] = [];
  let begunBytes = 0;

  const begin = (part: Buffer) => {
    begunBytes += part.length;
    // What is past the bound is counted, not kept.
    if (begunBytes - part.length <= maxBytes) begun.push(part);
  };
  const finish = (rest: Buffer): Line => {
    begin(rest);
    const whole = begun.length === 1 ? (begun[0] as Buffer) : Buffer.concat(begun);
    const tooLong = begunBytes > maxBytes;
    number += 1;
    begun = [];
    begunBytes = 0;
    return { number, bytes: tooLong ? Buffer.from(whole.subarray(0, KEPT_BYTES)) : whole, tooLong };
  };

  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(finish(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) begin(chunk.subarray(start));
    yield lines.filter(isNotBlank);
  }
  if (begunBytes > 0) yield [finish(Buffer.alloc(0))].filter(isNotBlank);
}

const isNotBlank = ({ bytes, tooLong }: Line): boolean =>
  tooLong || !/^[ \t\r]*$/.test(bytes.toString("latin1", 0, 64)) || bytes.length > 64;
