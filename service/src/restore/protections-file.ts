import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { OptOut } from "@credence/contract/person.ts";
import { MAX_INTEGER } from "@credence/contract/person-limits.ts";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { readBytes } from "#core/files/decompress.ts";
import { splitLines } from "#core/files/lines.ts";
import { openRegular } from "#core/files/open-file.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { joinLines } from "#core/files/write-snapshot.ts";

// A file of protections has a header, one line per protection, and a last line with their number, which
// shows that the file is complete. docs/SNAPSHOTS.md describes it.

const closed = { additionalProperties: false };
const integer = Type.Integer({ minimum: 0, maximum: MAX_INTEGER });
const passport_id = Type.Integer({ minimum: 1, maximum: MAX_INTEGER });
const time = Type.String({ format: "date-time" });
const timeOrNull = Type.Union([time, Type.Null()]);

const Header = Type.Object(
  {
    format: Type.Literal("credence-protections"),
    version: Type.Literal(1),
    /** Every file has another id. */
    file_id: Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" }),
    /** How many protective changes the database had counted. */
    changes: integer,
    at: time,
  },
  closed,
);
export type ProtectionsHeader = Static<typeof Header>;

const OptOutLine = Type.Object({ opt_out: OptOut }, closed);

const Visibility = Type.Object(
  {
    passport_id,
    hidden: Type.Boolean(),
    at: time,
    by: Type.Union([Type.Literal("holder"), Type.Literal("operator"), Type.Literal("holder and operator")]),
  },
  closed,
);

const Erasure = Type.Object(
  {
    passport_id,
    state: Type.String({ pattern: "^[a-z]{1,20}$" }),
    received_at: time,
    was_hidden: Type.Union([Type.Boolean(), Type.Null()]),
    due_at: timeOrNull,
    withdrawn_at: timeOrNull,
    completed_at: timeOrNull,
  },
  closed,
);

const Key = Type.Object(
  {
    key_id: Type.String({ minLength: 1, maxLength: 64 }),
    revoked_at: timeOrNull,
    expires_at: timeOrNull,
  },
  closed,
);

const Line = Type.Union([
  OptOutLine,
  Type.Object({ visibility: Visibility }, closed),
  Type.Object({ erasure: Erasure }, closed),
  Type.Object({ key: Key }, closed),
]);

/** The lines of a part of the file, by kind. */
export type Protections = {
  optOuts: OptOut[];
  visibility: Static<typeof Visibility>[];
  erasures: Static<typeof Erasure>[];
  keys: Static<typeof Key>[];
};

const End = Type.Object({ end: Type.Object({ lines: integer }, closed) }, closed);

const isHeader = Compile(Header);
const isLine = Compile(Line);
const isEnd = Compile(End);

const MAX_LINE_BYTES = 1_048_576;

/**
 * Writes the file beside its path, and moves it there when it is complete. `beforeMove` is called in
 * between. Only the owner can read the file.
 */
export async function writeProtections(
  path: string,
  header: Omit<ProtectionsHeader, "format" | "version">,
  lines: AsyncIterable<string>,
  beforeMove: () => Promise<void>,
): Promise<number> {
  let count = 0;
  const all = async function* () {
    yield JSON.stringify({ format: "credence-protections", version: 1, ...header } satisfies ProtectionsHeader);
    for await (const line of lines) {
      count += 1;
      yield line;
    }
    yield JSON.stringify({ end: { lines: count } } satisfies Static<typeof End>);
  };
  const part = `${path}.${randomUUID()}.part`;
  try {
    await pipeline(joinLines(all()), createWriteStream(part, { mode: 0o600, flags: "wx", flush: true }));
    await beforeMove();
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return count;
}

/** Null if there is no file. */
export async function readProtectionsHeader(path: string): Promise<ProtectionsHeader | null> {
  try {
    for await (const part of readProtections(path)) if ("header" in part) return part.header;
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Yields the header, then the lines in parts. Throws at the first line that is wrong, and if lines are missing. */
export async function* readProtections(
  path: string,
): AsyncGenerator<{ header: ProtectionsHeader } | { lines: Protections }> {
  const { file, state } = await openRegular(path, "follow");
  try {
    let count = 0;
    let hasHeader = false;
    let isComplete = false;
    for await (const lines of splitLines(
      readBytes({ path, file, state }, () => {}),
      MAX_LINE_BYTES,
    )) {
      const part: Protections = { optOuts: [], visibility: [], erasures: [], keys: [] };
      for (const { number, bytes } of lines) {
        const value = parse(bytes);
        if (isComplete) throw notProtections(path, number);
        if (number === 1) {
          if (!isHeader.Check(value)) throw notProtections(path, number);
          hasHeader = true;
          yield { header: value };
        } else if (isEnd.Check(value)) {
          if (value.end.lines !== count) throw incomplete(path);
          isComplete = true;
        } else if (isLine.Check(value)) {
          count += 1;
          add(part, value);
        } else throw notProtections(path, number);
      }
      yield { lines: part };
    }
    if (!hasHeader) throw notProtections(path, 1);
    if (!isComplete) throw incomplete(path);
  } finally {
    await file.close();
  }
}

function add(part: Protections, line: Static<typeof Line>): void {
  if ("opt_out" in line) part.optOuts.push(line.opt_out);
  else if ("visibility" in line) part.visibility.push(line.visibility);
  else if ("erasure" in line) part.erasures.push(line.erasure);
  else part.keys.push(line.key);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}

const notProtections = (path: string, line: number): SnapshotRefused =>
  new SnapshotRefused(
    line === 1 ? `"${path}" is not a file of protections.` : `Line ${line} of "${path}" is not a protection.`,
    "No protection may be skipped. Pass another copy of the file, or export it again from the database that wrote it.",
  );

const incomplete = (path: string): SnapshotRefused =>
  new SnapshotRefused(
    `"${path}" is incomplete.`,
    "Copy the file again. An older file works too, but lacks what changed after it.",
  );
