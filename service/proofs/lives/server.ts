import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { type Connection, type Database, inTransaction, queryColumn, queryValue } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { readDecisions, streamFile } from "#decisions/file.ts";
import type { By, PersonAction } from "#decisions/ledger.ts";
import { closeEndedErasures } from "#decisions/requests-of-person.ts";
import { decide } from "#decisions/settle.ts";
import { uniteDecisions } from "#decisions/unite.ts";
import { approveRequest, refuseRequest } from "#holders/manage/operator-decisions.ts";
import { processRequests } from "#holders/manage/process-requests.ts";
import type { HolderSettings } from "#holders/manage/settings.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { HOLDERS_ON } from "#testing/holders.ts";
import { importLines } from "#testing/import-lines.ts";
import { person } from "#testing/people.ts";
import { Expected, type Kind, type Line, PEOPLE } from "./expected.ts";

export type Tables = Record<string, string>;
export type Backup = { tables: Tables; expected: Expected };
/** `teller`: what its server knew. */
export type DecisionsFile = { lines: string[]; teller: Expected };

const TABLES = "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'";
const NAMES = "select line->'passport'->'passport_profile'->>'display_name' from person";
const ASK = `insert into holder_request (code_hash, wish, address, message, signature, nonce, state)
  select sha256(nonce::bytea), 'erase', $1, 'text', 'signature', nonce, 'review' from gen_random_uuid() as id, cast(id as text) as nonce
  returning request_id, request`;
const { graceMs } = HOLDERS_ON;

/** What the commands and the worker of the product do on a server, and what is expected of it. */
export class Server {
  /** OPT_OUT_KEY, the newest first. */
  keys: readonly string[] = [];
  expected = new Expected("nobody", []);
  readonly name: string;
  readonly database: Database;
  /** `details` are for the report of a violation. */
  readonly log: (what: string, details?: string) => void;
  constructor(name: string, database: Database, log: (text: string, details?: string) => void) {
    this.name = name;
    this.database = database;
    this.log = log;
  }

  /** The rows of all tables as JSON, in the order of their text. */
  async backUp(): Promise<Backup> {
    const names = await queryColumn<string>(this.database, `${TABLES} and relname <> 'schema_migration'`);
    const rowsOf = (name: string) => `(select json_agg(row order by row::text)::text from ${name} as row) as ${name}`;
    const { rows } = await this.database.query<Record<string, string | null>>(`select ${names.map(rowsOf).join(", ")}`);
    const tables = Object.entries(rows[0] ?? {}).map(([name, json]) => [name, json ?? "[]"]);
    return { tables: Object.fromEntries(tables), expected: this.expected.copy() };
  }

  async restore({ tables, expected }: Backup): Promise<this> {
    const epochs = await queryColumn<string>(this.database, `${TABLES} and relname ~ '^standing_[0-9]'`);
    await inTransaction(this.database, async (connection) => {
      // Decisions cannot be deleted, and rows refer to rows of other tables.
      await connection.query("set local session_replication_role = replica");
      for (const name of epochs) if (!(name in tables)) await connection.query(`drop table ${name}`);
      for (const [name, rows] of Object.entries(tables)) {
        const [, kind] = /^standing_\d+(|_names|_keywords)$/.exec(name) ?? [];
        const isNew = kind !== undefined && !epochs.includes(name);
        if (isNew) await connection.query(`create table ${name} (like standing${kind} including storage)`);
        await connection.query(`delete from ${name}`);
        if (rows === "[]") continue;
        await connection.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1)`, [rows]);
      }
      const next = "(select coalesce(max(request_id), 0) + 1 from holder_request)";
      await connection.query(`select setval(pg_get_serial_sequence('holder_request', 'request_id'), ${next}, false)`);
    });
    this.expected = expected.copy();
    return this;
  }

  async imports(lines: readonly Line[]): Promise<void> {
    await this.#imports(lines.map(printLine));
    this.expected.imports(lines);
  }

  async #imports(lines: readonly string[]): Promise<void> {
    const { rejected } = await importLines(this.database, lines, { optOutKeys: this.keys });
    assert.deepEqual(rejected, []);
  }

  /** As `credence export` and `credence import`. */
  async importsSnapshot(from: Server): Promise<void> {
    this.log("imports a snapshot", from.name);
    await this.#reads((await from.writes("people")).lines, false);
    this.expected.reads(from.expected, null);
    await this.#imports(await queryColumn(from.database, "select line::text from person order by random()"));
    this.expected.imports(from.expected.stored());
  }

  async writes(content: "all" | "people" = "all"): Promise<DecisionsFile> {
    const lines: string[] = [];
    for await (const line of streamFile(this.database, this.keys, content)) lines.push(line);
    return { lines, teller: this.expected.copy() };
  }

  /** Twice: the second time changes nothing. */
  async reads({ lines, teller }: DecisionsFile): Promise<void> {
    const isOurs = teller.operator === this.expected.operator;
    this.log(isOurs ? "reads a file" : "reads a foreign file", `that knows ${[...teller.own].join(" ")}`);
    assert.equal(await this.#reads(lines, true), isOurs);
    this.expected.reads(teller, lines.slice(0, -1).join("\n"));
    const { tables } = await this.backUp();
    await this.#reads(lines, true);
    assert.deepEqual((await this.backUp()).tables, tables, `${this.name}: the same file twice changes nothing`);
  }

  async #reads(lines: readonly string[], isRestore: boolean): Promise<boolean> {
    const { keys } = this;
    const read = async function* () {
      yield Buffer.from(lines.map((line) => `${line}\n`).join(""));
    };
    const file = await readDecisions({ name: "file", read }, keys);
    const options = { keys, restoreGraceMs: isRestore ? graceMs : null, dryRun: false, onProgress: () => {} };
    return (await uniteDecisions(this.database, file, options)).is_ours;
  }

  #locked = <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> =>
    inTransaction(this.database, (connection) => lockPeople(connection).then(() => work(connection)));

  /** Meanwhile lines are imported, one at a time on another connection. Returns whether the decision came in between. */
  async decides(kind: Kind, passportId: number, lines: readonly Line[] = [], delayMs = 0): Promise<boolean> {
    const [action, by = "operator"] = kind.split(" by ") as [PersonAction, By?];
    const decided = setTimeout(delayMs).then(() =>
      this.#locked(async (connection) => {
        const names = await queryColumn<string>(connection, NAMES);
        await decide(connection, { action, by, passportId }, { key: this.keys[0] ?? null });
        // As a request does that shows a record.
        if (kind === "show by holder") await closeEndedErasures(connection, [passportId]);
        return names;
      }),
    );
    const importOne = (before: Promise<void>, line: Line) => before.then(() => this.#imports([printLine(line)]));
    const [names] = await Promise.all([decided, lines.reduce(importOne, Promise.resolve())]);
    // The lines before one that was stored were stored too.
    const before = lines.findLastIndex(({ name }) => names.includes(name)) + 1;
    this.expected.imports(lines.slice(0, before));
    this.expected.happens(kind, passportId);
    this.expected.imports(lines.slice(before));
    return before > 0 && before < lines.length;
  }

  #settings(): HolderSettings {
    const { keys: optOutKeys } = this;
    return { ...HOLDERS_ON, mode: "off", optOutKey: optOutKeys[0] ?? null, optOutKeys };
  }

  /** The main wallet of a person asks to erase its records, and the operator agrees, whomever it involves. */
  async asks(passportId: number, isDue: boolean): Promise<void> {
    const address = this.expected.facts.get(passportId)?.main as string;
    const { rows } = await this.database.query<{ request_id: number; request: string }>(ASK, [address]);
    const { request_id, request } = rows[0] as { request_id: number; request: string };
    const settings = { ...this.#settings(), graceMs: isDue ? 0 : graceMs };
    assert.equal((await approveRequest(this.database, request_id, PEOPLE, settings)).refusal, null);
    await this.database.query("update holder_request set approved_for = $2 where request_id = $1", [
      request_id,
      PEOPLE,
    ]);
    this.expected.asks(request, address, isDue);
  }

  async refuses(request: string): Promise<void> {
    const find = "select request_id from holder_request where request = $1";
    await refuseRequest(this.database, await queryValue<number>(this.database, find, [request]), "not by this wallet");
    this.expected.closes(request, "refuse");
  }

  async works(isGraceOver: boolean): Promise<void> {
    this.log(isGraceOver ? "lets a worker run after the grace period" : "lets a worker run");
    if (isGraceOver) await this.database.query("update holder_request set due_at = now() where state = 'waiting'");
    await processRequests(this.database, this.#settings(), (error) => {
      throw error;
    });
    this.expected.works(isGraceOver);
  }

  async builds(): Promise<void> {
    this.log("builds the list");
    assert.equal((await refreshStanding(this.database))?.left_epochs, 0);
    this.expected.builds();
  }
}

function printLine({ id, name, score, merged, main, wallets }: Line): string {
  const facts = { display_name: name, score, merged, main_wallet: main, verified_wallets: wallets };
  return JSON.stringify(person(id, facts));
}
