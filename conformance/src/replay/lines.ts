/** A longer line is no request of V1, and must not fill the memory. */
const MAX_LINE_BYTES = 65_536;

/** `text` is null for a line that is too long. `end` is the position after the line, in bytes. */
export type Line = { number: number; text: string | null; end: number };

/** Splits a stream into lines. Bytes become the characters U+0000 to U+00FF, so none is lost. */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let rest = "";
  let isTooLong = false;
  let number = 0;
  let end = 0;
  const finish = (text: string): Line => {
    number += 1;
    end += 1;
    const line = { number, end, text: isTooLong ? null : text.replace(/\r$/, "") };
    isTooLong = false;
    return line;
  };
  for await (const chunk of input) {
    const parts = chunk.toString("latin1").split("\n");
    const last = parts.pop() ?? "";
    for (const part of parts) {
      isTooLong ||= rest.length + part.length > MAX_LINE_BYTES;
      end += part.length;
      yield finish(rest + part);
      rest = "";
    }
    end += last.length;
    isTooLong ||= rest.length + last.length > MAX_LINE_BYTES;
    rest = isTooLong ? "" : rest + last;
  }
  if (rest !== "" || isTooLong) yield finish(rest);
}
