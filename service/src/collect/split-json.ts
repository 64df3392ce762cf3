/** A JSON object, or why the bytes at this place are none. */
export type JsonPart = { bytes: Buffer; problem: null } | { bytes: null; problem: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** Space, tab, line breaks, comma, and the bytes of a byte order mark. */
const SEPARATORS = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0xef, 0xbb, 0xbf]);

/**
 * Splits bytes into JSON objects: one per file or many, on lines, pretty-printed, or as items of
 * arrays. Memory is bounded: an object longer than `maxBytes` is skipped and reported. Whether an
 * object is valid JSON is left to its parser.
 */
export async function* splitJson(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<JsonPart[]> {
  let arrays = 0;
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let parts: Buffer[] = [];
  let sizeBytes = 0;

  const append = (part: Buffer): void => {
    sizeBytes += part.length;
    if (sizeBytes <= maxBytes) parts.push(part);
    else parts = [];
  };
  const finish = (): JsonPart => {
    const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const isTooLong = sizeBytes > maxBytes;
    parts = [];
    sizeBytes = 0;
    return isTooLong
      ? { bytes: null, problem: `a response is longer than ${maxBytes} bytes` }
      : { bytes, problem: null };
  };

  for await (const chunk of chunks) {
    const found: JsonPart[] = [];
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] as number;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (depth > 0) {
        if (byte === QUOTE) inString = true;
        else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
          depth -= 1;
          if (depth > 0) continue;
          append(chunk.subarray(start, index + 1));
          found.push(finish());
        }
      } else if (byte === OPEN_BRACE) {
        depth = 1;
        start = index;
      } else if (byte === OPEN_BRACKET) arrays += 1;
      else if (byte === CLOSE_BRACKET && arrays > 0) arrays -= 1;
      else if (!SEPARATORS.has(byte)) {
        yield [...found, { bytes: null, problem: "it is not JSON, or contains values other than objects" }];
        return;
      }
    }
    if (depth > 0) append(chunk.subarray(start));
    yield found;
  }
  if (depth > 0) yield [{ bytes: null, problem: "it ends within a JSON object" }];
}
