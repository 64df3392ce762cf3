import { SnapshotRefused } from "./refused.ts";

type Foreign = { is: string; advice: string };

const unpack = (command: string): string => `Unpack it first: ${command} FILE | credence import -`;

/** Formats told by how they begin, in hex. */
const MAGIC: readonly [start: string, foreign: Foreign][] = [
  ["504b0304", { is: "a zip archive", advice: unpack("unzip -p") }],
  ["fd377a585a00", { is: "packed with xz", advice: unpack("xz -dc") }],
  ["425a68", { is: "packed with bzip2", advice: unpack("bzip2 -dc") }],
  ["377abcaf271c", { is: "a 7z archive", advice: unpack("7z e -so") }],
  ["28b52ffd", { is: "packed with zstd twice", advice: unpack("zstd -dc") }],
  ["1f8b", { is: "packed with gzip twice", advice: unpack("gzip -dc") }],
  ["53514c69746520666f726d6174", { is: "a SQLite database", advice: "Export its people as JSON, one a line." }],
  ["50415231", { is: "a Parquet file", advice: "Export its people as JSON, one a line." }],
  ["fffe", { is: "UTF-16 text", advice: "Convert it first: iconv -f UTF-16 -t UTF-8 FILE | credence import -" }],
  ["feff", { is: "UTF-16 text", advice: "Convert it first: iconv -f UTF-16 -t UTF-8 FILE | credence import -" }],
];

/** Passes on the chunks of a file of people, and refuses one that begins like something else. */
export async function* requirePeople(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let first = true;
  for await (const chunk of chunks) {
    const foreign = first ? recognise(chunk) : null;
    if (foreign !== null) throw new SnapshotRefused(`${name} is ${foreign.is}, not lines of people.`, foreign.advice);
    first = false;
    yield chunk;
  }
}

/** What a file looks like by its first bytes, if not like lines of JSON objects. */
function recognise(start: Buffer): Foreign | null {
  const hex = start.toString("hex", 0, 16);
  const known = MAGIC.find(([magic]) => hex.startsWith(magic))?.[1];
  if (known !== undefined) return known;
  if (start.toString("latin1", 257, 262) === "ustar") {
    return { is: "a tar archive", advice: "Extract it first: tar -xf FILE" };
  }
  if (start.subarray(0, 512).includes(0)) {
    return { is: "binary data", advice: "Is it the right file? docs/SNAPSHOTS.md describes one." };
  }
  return recogniseText(
    start
      .toString("utf8", 0, 4_096)
      .replace(/^\uFEFF/, "")
      .trimStart(),
  );
}

function recogniseText(text: string): Foreign | null {
  if (text.startsWith("[")) {
    return { is: "a JSON array", advice: "Make it one object a line: jq -c '.[]' FILE | credence import -" };
  }
  if (text.startsWith("<"))
    return { is: "HTML or XML", advice: "Is it the right file? docs/SNAPSHOTS.md describes one." };
  // A stream may come in pieces: what its first line is can be told once it ends.
  const [line = "", ...others] = text.split(/\r?\n/, 2);
  if (others.length === 0) return null;
  if (/^\{\s*("[^"]*"\s*:\s*[{[]?\s*)?$/.test(line)) {
    return { is: "pretty-printed JSON", advice: "Make it one object a line: jq -c . FILE | credence import -" };
  }
  if (/^[\w" ]+([,;\t][\w" ]*){2,}$/.test(line)) {
    return {
      is: "a table (CSV)",
      advice: "Write it as JSON, one person a line. docs/SNAPSHOTS.md describes the fields.",
    };
  }
  return null;
}
