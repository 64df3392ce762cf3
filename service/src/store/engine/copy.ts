import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { Connection } from "./database.ts";

type Value = string | number | boolean | null | readonly string[];

const CHUNK_BYTES = 524_288;

/** Sends items by COPY, the quickest way in, each as the row that `rowOf` makes of it. `target` is a table with its columns. */
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

/** Rows as COPY takes them: text, or the bytes of it. */
export type EncodedRows = string | Uint8Array;

/** Sends rows that are printed already, or are while the server takes in those before them. */
export async function copyEncoded(connection: Connection, target: string, rows: Iterable<EncodedRows>): Promise<void> {
  const chunks = joinRows(rows);
  const first = chunks.next();
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
    const atMost = mostBytes(row);
    if (atMost > chunk.length - used) {
      if (used > 0) yield chunk.subarray(0, used);
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, atMost));
      used = 0;
    }
    used += writeRows(chunk, used, row);
  }
  if (used > 0) yield chunk.subarray(0, used);
}

/** A character takes three bytes at most, or four if it counts as two. */
const mostBytes = (rows: EncodedRows): number => (typeof rows === "string" ? 3 * rows.length : rows.length);

function writeRows(chunk: Buffer, at: number, rows: EncodedRows): number {
  if (typeof rows === "string") return chunk.write(rows, at);
  chunk.set(rows, at);
  return rows.length;
}

/** Turns printed rows into bytes: a batch of them waits in a few buffers, in place of a million objects. */
export type RowEncoder = (rows: string) => Uint8Array;

export function createRowEncoder(): RowEncoder {
  let chunk = Buffer.alloc(0);
  let used = 0;
  return (rows) => {
    const atMost = mostBytes(rows);
    if (atMost > chunk.length - used) {
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, atMost));
      used = 0;
    }
    const start = used;
    used += chunk.write(rows, used);
    return chunk.subarray(start, used);
  };
}

export function encodeRow(values: readonly Value[]): string {
  let row = printValue(values[0] ?? null);
  for (let at = 1; at < values.length; at += 1) row += `\t${printValue(values[at] ?? null)}`;
  return `${row}\n`;
}

/** In COPY's text format. */
function printValue(value: Value): string {
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

const UNESCAPED: Record<string, string> = {
  ...{ "\\": "\\", n: "\n", r: "\r", t: "\t" },
  // PostgreSQL writes these so, where we do not.
  ...{ b: "\b", f: "\f", v: "\v" },
};

const unescapeText = (text: string): string => text.replaceAll(/\\(.)/g, (_, letter) => UNESCAPED[letter] ?? letter);

/** Reads the rows of a query by COPY, the quickest way out, some of them at a time. Columns are text or numbers. */
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
