import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { Connection } from "./database.ts";

type Value = string | number | boolean | null | readonly string[];

const CHUNK_BYTES = 524_288;

/** Inserts a row per item with COPY, the fastest way. `target` is a table with its columns. */
export async function copyRows<Item>(
  connection: Connection,
  target: string,
  items: readonly Item[],
  rowOf: (item: Item) => readonly Value[],
): Promise<void> {
  await copyEncoded(
    connection,
    target,
    items.values().map((item) => encodeRow(rowOf(item))),
  );
}

/** Rows in COPY's text format, as a string or as UTF-8 bytes. */
export type EncodedRows = string | Uint8Array;

/** Inserts encoded rows with COPY. Reads `rows` lazily, as the server accepts them. */
export async function copyEncoded(connection: Connection, target: string, rows: Iterable<EncodedRows>): Promise<void> {
  const chunks = joinRows(rows);
  const first = chunks.next();
  // Without rows, save the round trip.
  if (first.done) return;
  const all = function* () {
    yield first.value;
    yield* chunks;
  };
  await pipeline(Readable.from(all()), connection.query(copyFrom(`copy ${target} from stdin`)));
}

function* joinRows(rows: Iterable<EncodedRows>): Generator<Buffer, void> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let used = 0;
  for (const row of rows) {
    const needed = maxBytes(row);
    if (needed > chunk.length - used) {
      if (used > 0) yield chunk.subarray(0, used);
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, needed));
      used = 0;
    }
    used += writeRows(chunk, used, row);
  }
  if (used > 0) yield chunk.subarray(0, used);
}

/** A UTF-16 code unit takes at most 3 bytes in UTF-8: a surrogate pair takes 4. */
const maxBytes = (rows: EncodedRows): number => (typeof rows === "string" ? 3 * rows.length : rows.length);

function writeRows(chunk: Buffer, offset: number, rows: EncodedRows): number {
  if (typeof rows === "string") return chunk.write(rows, offset);
  chunk.set(rows, offset);
  return rows.length;
}

/** Encodes rows as UTF-8 in shared buffers: a batch takes a few objects, not a million. */
export type RowEncoder = (rows: string) => Uint8Array;

export function createRowEncoder(): RowEncoder {
  let chunk = Buffer.alloc(0);
  let used = 0;
  return (rows) => {
    const needed = maxBytes(rows);
    if (needed > chunk.length - used) {
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, needed));
      used = 0;
    }
    const start = used;
    used += chunk.write(rows, used);
    return chunk.subarray(start, used);
  };
}

/** Encodes a row in COPY's text format. */
export function encodeRow(values: readonly Value[]): string {
  let row = encodeValue(values[0] ?? null);
  for (let index = 1; index < values.length; index += 1) row += `\t${encodeValue(values[index] ?? null)}`;
  return `${row}\n`;
}

function encodeValue(value: Value): string {
  if (value === null) return "\\N";
  if (typeof value === "string") return escapeText(value);
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "t" : "f";
  return escapeText(`{${value.map((item) => `"${item.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`);
}

const SPECIAL = /[\\\n\r\t]/;
const ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const escapeText = (text: string): string =>
  SPECIAL.test(text) ? text.replaceAll(/[\\\n\r\t]/g, (character) => ESCAPES[character] as string) : text;

// PostgreSQL also escapes \b, \f and \v, which it accepts unescaped.
const UNESCAPED: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v" };

const unescapeText = (text: string): string => text.replaceAll(/\\(.)/g, (_, letter) => UNESCAPED[letter] ?? letter);

/** Yields the rows of a query in batches, with COPY, the fastest way. No column may be an array. */
export async function* copyOut(connection: Connection, query: string): AsyncGenerator<(string | null)[][]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of connection.query(copyTo(`copy (${query}) to stdout`)) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEW_LINE) + 1;
    if (end > 0) yield readRows(bytes.subarray(0, end));
    rest = bytes.subarray(end);
  }
}

const NEW_LINE = 10;

/** The values of printed rows, as text; null is `\\N`. For rows without arrays. */
export function readRows(rows: Uint8Array): (string | null)[][] {
  const text = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength).toString("utf8");
  const lines = text === "" ? [] : text.slice(0, -1).split("\n");
  return lines.map((line) =>
    line.split("\t").map((value) => (value === "\\N" ? null : value.includes("\\") ? unescapeText(value) : value)),
  );
}
