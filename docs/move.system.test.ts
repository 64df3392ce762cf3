import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Database, openDatabase } from "../service/src/core/database/database.ts";
import { processRequests } from "../service/src/holders/manage/process-requests.ts";
import type { Wish } from "../service/src/holders/proof/message.ts";
import { openHolderRequests } from "../service/src/holders/serve/requests.ts";
import { issueKey } from "../service/src/keys/manage/issue-key.ts";
import { refreshStanding } from "../service/src/list/manage/refresh-standing.ts";
import { savePeople } from "../service/src/people/write/save-people.ts";
import { testDatabase } from "../service/testing/database.ts";
import { erase, hide } from "../service/testing/decide.ts";
import { HOLDER_KEY, HOLDERS_ON, signRequest } from "../service/testing/holders.ts";
import { importLines, OPT_OUT_KEY } from "../service/testing/import-lines.ts";
import { person } from "../service/testing/people.ts";
import { urlOf } from "../service/testing/server.ts";
import { startShell } from "../service/testing/shell.ts";
import { solanaWallet } from "../service/testing/wallets.ts";
import { whenDone } from "../service/testing/when-done.ts";
import { readOperations } from "./operations-page.ts";

const [HIDDEN, ERASED, WAITS, ASKS, SHOWS] = [2, 3, 4, 5, 6] as const;
const wallets = Array.from({ length: 6 }, (_, index) => solanaWallet(`move ${index + 1}`));
const everybody = wallets.map(({ address }, index) => person(index + 1, { main_wallet: address }));

const work = (database: Database) =>
  processRequests(database, HOLDERS_ON, (error) => {
    throw error;
  });

/** A signed request, which no worker has seen yet. */
const ask = (database: Database, passportId: number, wish: Wish) =>
  openHolderRequests(database).enqueue(signRequest(wallets[passportId - 1] as never, wish));

/** The tables with rows, and how many they have. */
async function countRows(database: Database): Promise<Record<string, number>> {
  const { rows: tables } = await database.query(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await database.query(`select count(*)::int as n from ${name}`);
    if (rows[0].n > 0) counts[name] = rows[0].n;
  }
  return counts;
}

test("docs/OPERATING.md: a move takes everything with it; an export leaves out what the page lists", async () => {
  const { name, blocksOf, drop } = readOperations();
  const folder = await mkdtemp(join(tmpdir(), "credence-move-"));
  const [oldMachine, newMachine] = [join(folder, "old"), join(folder, "new")];
  await mkdir(oldMachine);
  const opened: Database[] = [];
  whenDone(async () => {
    for (const database of opened) await database.end();
    await rm(folder, { recursive: true });
    await drop();
  });
  const open = (): Database => {
    const database = openDatabase({ url: urlOf(name), name: "test", maxConnections: 4, statementTimeoutMs: 0 });
    opened.push(database);
    return database;
  };
  const run = async (script: string, cwd: string, environment: Record<string, string> = {}): Promise<string> => {
    const { code, output } = await startShell(script, cwd, {
      OPERATOR_CONTACT: "ops@b.example",
      PUBLIC_URL: `https://${HOLDERS_ON.domain}`,
      ...environment,
    }).ended;
    expect(code, output).toBe(0);
    return output;
  };

  const [createDatabase = "", migrate = ""] = blocksOf("Create the database");
  await run(`${createDatabase}\n${migrate}`, oldMachine);
  const DATABASE_URL = /DATABASE_URL=(\S+)/.exec(migrate)?.[1] ?? "";
  await writeFile(join(oldMachine, "opt-out-key"), OPT_OUT_KEY, { mode: 0o600 });
  await writeFile(join(oldMachine, "holder-key"), HOLDER_KEY, { mode: 0o600 });
  const before = open();
  await savePeople(before, everybody);
  await issueKey(before, { label: "test", contact: "test", expiresAt: null });
  await hide(before, [HIDDEN]);
  await erase(before, [ERASED]);
  await ask(before, WAITS, "erase");
  await ask(before, SHOWS, "show");
  await work(before);
  await ask(before, ASKS, "hide");
  await before.query(
    `insert into usage_count values (current_date, 'anonymous', '/api/v1/passports', '2xx', 1, now());
     insert into usage_mark values (current_date, 'path', '/', 1, now())`,
  );
  await refreshStanding(before);
  const { rows: due } = await before.query("select due_at from holder_request where state = 'waiting'");

  const [leave = "", createRoles = "", arrive = ""] = blocksOf("Move to another machine");
  const keys = { OPT_OUT_KEY_FILE: "opt-out-key", HOLDER_KEY_FILE: "holder-key" };
  await run(`credence export ./out\n${leave.replace("new.example:credence/", newMachine)}`, oldMachine, {
    DATABASE_URL,
    ...keys,
  });
  const counts = await countRows(before);

  // The old machine is gone.
  await opened.pop()?.end();
  await drop();
  await run(createRoles, newMachine);
  expect(await run(arrive, newMachine)).not.toContain("lacks decisions");
  const after = open();
  expect(await countRows(after)).toEqual(counts);

  // Its requests go on, and wallets of erased people are recognised.
  await work(after);
  const { rows: requests } = await after.query(
    "select passport_ids::int[], wish, state from holder_request order by 1",
  );
  expect(requests).toEqual([
    { passport_ids: [WAITS], wish: "erase", state: "waiting" },
    { passport_ids: [ASKS], wish: "hide", state: "done" },
    { passport_ids: [SHOWS], wish: "show", state: "done" },
  ]);
  expect((await after.query("select due_at from holder_request where state = 'waiting'")).rows).toEqual(due);
  await importLines(after, [person(7, { main_wallet: everybody[ERASED - 1]?.passport.main_wallet ?? null })]);
  const { rows: stored } = await after.query("select passport_id, lost_main from person order by 1");
  expect(stored.map((row) => row.passport_id)).toEqual([1, HIDDEN, WAITS, ASKS, SHOWS, 7]);
  expect(stored.filter((row) => row.lost_main).map((row) => row.passport_id)).toEqual([7]);

  // The export of the old machine, in an empty database.
  const empty = await testDatabase();
  await run(`credence import ${join(oldMachine, "out")}`, newMachine, { DATABASE_URL: empty.url, OPT_OUT_KEY });
  const exported = await countRows(empty.database);
  expect(exported).toMatchObject({
    person: counts.person,
    decision_wallet: counts.decision_wallet,
    wallet_owner: counts.wallet_owner,
  });
  expect(Object.keys(counts).filter((table) => exported[table] === undefined)).toMatchInlineSnapshot(`
    [
      "api_key",
      "holder_request",
      "usage_count",
      "usage_mark",
    ]
  `);
});
