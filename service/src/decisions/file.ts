import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { Decision, DecisionsEnd, DecisionsHeader } from "@credence/contract/decision.ts";
import { Compile } from "typebox/compile";
import { type Connection, queryColumn } from "#core/database/database.ts";
import { readBytes } from "#core/files/decompress.ts";
import { splitLines } from "#core/files/lines.ts";
import { openRegular } from "#core/files/open-file.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import type { SourceFile } from "#core/files/source.ts";
import { joinLines } from "#core/files/write-snapshot.ts";
import { createMac, fingerprintOf, isSameMac } from "./keys.ts";
import { ABOUT_PEOPLE } from "./ledger.ts";

const BATCH = 2_000;
const FORMAT = JSON.stringify({ format: "credence-decisions", version: 1 });

/** What people may say: `people` leaves out keys and notes, which concern this server only. */
type Content = "all" | "people";

/** The lines of a file, as of one moment if the connection is in such a transaction. */
export async function* streamFile(
  connection: Connection,
  keys: readonly string[],
  content: Content,
): AsyncGenerator<string> {
  const [key] = keys;
  const mac = key === undefined ? null : createMac(key);
  let decisions = 0;
  const add = (line: string): string => {
    mac?.update(`${line}\n`);
    return line;
  };
  yield add(FORMAT);
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const rows = await listRows(connection, content, after);
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const { line } of rows) yield add(line);
    decisions += rows.length;
    after = last.decision_id;
  }
  const end = mac === null || key === undefined ? {} : { key: fingerprintOf(key), mac: mac.digest("hex") };
  yield JSON.stringify({ end: { decisions, ...end } } satisfies DecisionsEnd);
}

/** PostgreSQL formats the lines: times keep their microseconds. By primary keys. */
async function listRows(connection: Connection, content: Content, after: string) {
  const { rows } = await connection.query<{ decision_id: string; line: string }>(
    `select decision_id, json_strip_nulls(json_build_object('decision_id', decision_id, 'decided_at', decided_at,
       'action', action, 'decided_by', decided_by, 'by_role', by_role, 'passport_id', passport_id, 'key_id', key_id,
       'due_at', due_at, 'request', request, 'is_foreign', case when is_foreign then true end,
       'ends', (select json_agg(ended order by ended) from decision_end where decision_end.decision_id = decision.decision_id),
       'wallet_key', (select min(key) from decision_wallet where decision_wallet.decision_id = decision.decision_id),
       'wallets', (select json_agg(encode(hash, 'hex') order by hash) from decision_wallet
                   where decision_wallet.decision_id = decision.decision_id)))::text as line
     from decision
     where decision_id > $1 and ($2::text[] is null or action = any ($2))
     order by decision_id limit $3`,
    [after, content === "people" ? ABOUT_PEOPLE : null, BATCH],
  );
  return rows;
}

/**
 * Writes the file beside its path, and moves it there when it is complete. `beforeMove` is called in between. Only
 * the owner can read the file.
 */
export async function writeFile(
  path: string,
  lines: AsyncIterable<string>,
  beforeMove: () => Promise<void>,
): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await pipeline(joinLines(lines), createWriteStream(part, { mode: 0o600, flags: "wx", flush: true }));
    await beforeMove();
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** A file that was read to its end. */
export type DecisionsFile = {
  decisions: Decision[];
  /** A key of ours authenticates it. */
  isOurs: boolean;
  /** Identifies the content. */
  mac: string;
  /** The fingerprint of the key that wrote it; null without one. */
  key: string | null;
};

const isHeader = Compile(DecisionsHeader);
const isDecision = Compile(Decision);
const isEnd = Compile(DecisionsEnd);

/** Reads the whole file before anything is done with it: 100,000 decisions have 25 MB. */
export async function readDecisions(file: Pick<SourceFile, "name" | "read">, keys: readonly string[]) {
  const decisions: Decision[] = [];
  const macs = keys.map((key) => ({ key: fingerprintOf(key), mac: createMac(key) }));
  const content = createMac("content");
  let hasHeader = false;
  let end: DecisionsEnd["end"] | null = null;
  for await (const lines of splitLines(
    file.read(() => {}),
    MAX_LINE_BYTES,
  )) {
    for (const { number, bytes, tooLong } of lines) {
      const value = tooLong ? undefined : parse(bytes);
      if (end === null && hasHeader && isEnd.Check(value)) {
        ({ end } = value);
        continue;
      }
      if (end !== null || !(hasHeader ? isDecision.Check(value) : isHeader.Check(value)))
        throw invalid(file.name, number);
      if (hasHeader) decisions.push(value as Decision);
      hasHeader = true;
      for (const { mac } of macs) mac.update(bytes).update("\n");
      content.update(bytes).update("\n");
    }
  }
  if (end?.decisions !== decisions.length) {
    throw new SnapshotRefused(
      `"${file.name}" is not a complete file of decisions.`,
      "It was cut off, or is another file. Copy it again.",
    );
  }
  const { key = null, mac = "" } = end;
  const own = macs.find((known) => known.key === key);
  const isOurs = own !== undefined && isSameMac(own.mac.digest("hex"), mac);
  return { decisions, isOurs, mac: content.digest("hex"), key } satisfies DecisionsFile;
}

/** One erasure has up to a thousand wallets of 64 digits. */
const MAX_LINE_BYTES = 1_048_576;

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

const invalid = (name: string, line: number): SnapshotRefused =>
  new SnapshotRefused(
    `Line ${line} of "${name}" is not a line of a file of decisions.`,
    "It was cut off or changed, and no line may be skipped: copy it again. docs/SNAPSHOTS.md describes the format.",
  );

/** Opens a file, compressed or not. Its errors name what is wrong with the path. */
export function openDecisions(path: string): Pick<SourceFile, "name" | "read"> {
  return {
    name: path,
    async *read(onRaw) {
      const { file, state } = await openRegular(path, "follow");
      try {
        yield* readBytes({ path, file, state }, onRaw);
      } finally {
        await file.close();
      }
    },
  };
}

const idOf = ({ decision_id }: Decision): string => decision_id;

/** Whether the database has every decision of the file: as a foreign one, it lacks its wallets and what it ends. */
export async function knowsAll(connection: Connection, decisions: readonly Decision[]): Promise<boolean> {
  for (let index = 0; index < decisions.length; index += BATCH) {
    const part = decisions.slice(index, index + BATCH);
    const known = new Set(
      await queryColumn<string>(
        connection,
        "select decision_id from decision where decision_id = any ($1::uuid[]) and not (is_foreign and decision_id = any ($2::uuid[]))",
        [part.map(idOf), part.filter(({ is_foreign }) => !is_foreign).map(idOf)],
      ),
    );
    if (!part.every((decision) => known.has(idOf(decision)))) return false;
  }
  return true;
}
