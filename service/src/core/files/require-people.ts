import { SnapshotRefused } from "./refused.ts";

type OtherFormat = { is: string; advice: string };

const NO_TEXT: OtherFormat = {
  is: "not text",
  advice: "Check the path. Files are JSON lines in UTF-8, plain or compressed with gzip or zstd: docs/SNAPSHOTS.md.",
};
const SAVED_RESPONSES: OtherFormat = {
  is: "saved V1 responses",
  advice: "Make a snapshot of them first: credence collect --from-files FILE --out SNAPSHOT",
};
const NO_LINES: OtherFormat = {
  is: "JSON that is not one object per line",
  advice: `Convert it: jq -c . FILE | credence import -, and jq -c '.[]' for an array. ${SAVED_RESPONSES.advice.replace("them", "saved V1 responses")}`,
};

/** Yields the chunks of a file. Throws, with the name in the message, if the first is not the start of JSON lines. */
export async function* requirePeople(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let first = true;
  for await (const chunk of chunks) {
    const format = first ? recognise(chunk) : null;
    if (format !== null) throw new SnapshotRefused(`${name} is ${format.is}.`, format.advice);
    first = false;
    yield chunk;
  }
}

/** Returns null if the bytes can be the start of JSON lines. */
function recognise(start: Buffer): OtherFormat | null {
  if (start.subarray(0, 512).includes(0)) return NO_TEXT;
  const text = start
    .toString("utf8", 0, 4_096)
    .replace(/^\uFEFF/, "")
    .trimStart();
  // Pages of the list, credentials, and lines with a URL.
  if (/^(\[\s*)?\{\s*"(passports|pagination|passport_credentials|url|status|body)"\s*:/.test(text))
    return SAVED_RESPONSES;
  // An array, or an object that goes on in the next line. A stream may end its first chunk within a line.
  return /^(\[|\{\s*("[^"]*"\s*:\s*[{[]?\s*)?\r?\n)/.test(text) ? NO_LINES : null;
}
