import { SnapshotRefused } from "./refused.ts";

/** A file format that cannot be imported. */
type OtherFormat = { is: string; advice: string };

const decompress = (command: string): string => `Decompress it first: ${command} FILE | credence import -`;
const EXPORT_AS_JSON = "Export the people as JSON, one object per line.";
const CONVERT_FROM_UTF16 = "Convert it first: iconv -f UTF-16 -t UTF-8 FILE | credence import -";
const CHECK_PATH = "Check the path. docs/SNAPSHOTS.md describes the format.";

/** Formats by their first bytes, in hexadecimal. */
const MAGIC: readonly [start: string, format: OtherFormat][] = [
  ["504b0304", { is: "a zip archive", advice: decompress("unzip -p") }],
  ["fd377a585a00", { is: "compressed with xz", advice: decompress("xz -dc") }],
  ["425a68", { is: "compressed with bzip2", advice: decompress("bzip2 -dc") }],
  ["377abcaf271c", { is: "a 7z archive", advice: decompress("7z e -so") }],
  ["28b52ffd", { is: "compressed with zstd twice", advice: decompress("zstd -dc") }],
  ["1f8b", { is: "compressed with gzip twice", advice: decompress("gzip -dc") }],
  ["53514c69746520666f726d6174", { is: "a SQLite database", advice: EXPORT_AS_JSON }],
  ["50415231", { is: "a Parquet file", advice: EXPORT_AS_JSON }],
  ["fffe", { is: "UTF-16 text", advice: CONVERT_FROM_UTF16 }],
  ["feff", { is: "UTF-16 text", advice: CONVERT_FROM_UTF16 }],
];

/** Yields the chunks of a file. Throws, with the name in the message, if the first is not the start of JSON lines. */
export async function* requirePeople(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let first = true;
  for await (const chunk of chunks) {
    const format = first ? recognise(chunk) : null;
    if (format !== null) throw new SnapshotRefused(`${name} is ${format.is}, not JSON lines.`, format.advice);
    first = false;
    yield chunk;
  }
}

/** Returns null if the bytes can be the start of JSON lines. */
function recognise(start: Buffer): OtherFormat | null {
  const hex = start.toString("hex", 0, 16);
  const known = MAGIC.find(([magic]) => hex.startsWith(magic))?.[1];
  if (known !== undefined) return known;
  if (start.toString("latin1", 257, 262) === "ustar") {
    return { is: "a tar archive", advice: "Extract it first: tar -xf FILE" };
  }
  if (start.subarray(0, 512).includes(0)) {
    return { is: "binary data", advice: CHECK_PATH };
  }
  return recogniseText(
    start
      .toString("utf8", 0, 4_096)
      .replace(/^\uFEFF/, "")
      .trimStart(),
  );
}

const COLLECT = "credence collect --from-files FILE --out SNAPSHOT";
const SAVED_RESPONSES: OtherFormat = {
  is: "saved V1 responses",
  advice: `Make a snapshot of them first: ${COLLECT}`,
};

function recogniseText(text: string): OtherFormat | null {
  // Pages of the list, credentials, and lines with a URL.
  if (/^(\[\s*)?\{\s*"(passports|pagination|passport_credentials|url|status|body)"\s*:/.test(text))
    return SAVED_RESPONSES;
  if (text.startsWith("[")) {
    return { is: "a JSON array", advice: "Convert it to one object per line: jq -c '.[]' FILE | credence import -" };
  }
  if (text.startsWith("<")) return { is: "HTML or XML", advice: CHECK_PATH };
  // The first chunk of a stream may end within the first line. Such a line is not checked.
  const [line = "", ...others] = text.split(/\r?\n/, 2);
  if (others.length === 0) return null;
  if (/^\{\s*("[^"]*"\s*:\s*[{[]?\s*)?$/.test(line)) {
    return {
      is: "pretty-printed JSON",
      advice: `Convert it to one object per line: jq -c . FILE | credence import -. Saved V1 responses: ${COLLECT}`,
    };
  }
  if (/^[\w" ]+([,;\t][\w" ]*){2,}$/.test(line)) {
    return {
      is: "a table (CSV)",
      advice: "Convert it to JSON, one person per line. docs/SNAPSHOTS.md describes the fields.",
    };
  }
  return null;
}
