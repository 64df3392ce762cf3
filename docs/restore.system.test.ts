import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Database, openDatabase } from "../service/src/core/database/database.ts";
import { processRequests } from "../service/src/holders/manage/process-requests.ts";
import type { Wish } from "../service/src/holders/proof/message.ts";
import { openHolderRequests } from "../service/src/holders/serve/requests.ts";
import { revokeKey } from "../service/src/keys/manage/end-key.ts";
import { issueKey } from "../service/src/keys/manage/issue-key.ts";
import { refreshStanding } from "../service/src/list/manage/refresh-standing.ts";
import { savePeople } from "../service/src/people/write/save-people.ts";
import { erase, hide, show } from "../service/testing/decide.ts";
import { HOLDERS_ON, signRequest } from "../service/testing/holders.ts";
import { importLines, OPT_OUT_KEY } from "../service/testing/import-lines.ts";
import { person } from "../service/testing/people.ts";
import { urlOf } from "../service/testing/server.ts";
import { startShell } from "../service/testing/shell.ts";
import { solanaWallet } from "../service/testing/wallets.ts";
import { whenDone } from "../service/testing/when-done.ts";
import { readOperations } from "./operations-page.ts";

// People by what happens to them. Only the last one comes after the backup.
const [NOTHING, HIDES, SHOWN_LATER, ERASED, CANCELS, ASKS, HIDES_BY_SIGNATURE, SHOWN_BEFORE, ARRIVES] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9,
] as const;
const wallets = Array.from({ length: 9 }, (_, index) => solanaWallet(`restore ${index + 1}`));
const everybody = wallets.map(({ address }, index) => person(index + 1, { main_wallet: address }));

const work = (database: Database) =>
  processRequests(database, HOLDERS_ON, (error) => {
    throw error;
  });

/** A signed request, which a worker processes. */
async function ask(database: Database, passportId: number, wish: Wish): Promise<void> {
  const wallet = wallets[passportId - 1] as (typeof wallets)[number];
  await openHolderRequests(database).enqueue(signRequest(wallet, wish));
  await work(database);
}

const passGrace = (database: Database) =>
  database.query("update holder_request set due_at = now() where state = 'waiting'");

const listShown = async (database: Database): Promise<number[]> =>
  (await database.query("select passport_id from passport_document order by 1")).rows.map((row) => row.passport_id);

const listRanked = async (database: Database): Promise<number[]> => {
  const { rows } = await database.query("select max(epoch) as epoch from standing_epoch");
  const ranked = await database.query(
    `select passport_id from standing_${rows[0].epoch} where passport_id is not null order by 1`,
  );
  return ranked.rows.map((row) => row.passport_id);
};

const readDocuments = async (database: Database, ids: readonly number[]) =>
  (
    await database.query(
      "select * from passport_document join credential_document using (passport_id) where passport_id = any ($1) order by passport_id",
      [ids],
    )
  ).rows;

test("the restore of docs/OPERATING.md brings nobody back, revives no key, and keeps the rest of the backup", async () => {
  const { name, blocksOf, drop } = readOperations();
  const folder = await mkdtemp(join(tmpdir(), "credence-restore-"));
  const opened: Database[] = [];
  whenDone(async () => {
    for (const database of opened) await database.end();
    await rm(folder, { recursive: true });
    await drop();
  });
  const open = (databaseName: string): Database => {
    const url = urlOf(databaseName);
    const database = openDatabase({ url, name: "test", maxConnections: 4, statementTimeoutMs: 0 });
    opened.push(database);
    return database;
  };
  const server = new URL(urlOf(name));
  const DATABASE_URL = `postgres://${name}_owner:secret@${server.host}/${name}`;
  const run = async (script: string): Promise<string> => {
    const { code, output } = await startShell(script, folder, { DATABASE_URL, OPT_OUT_KEY }).ended;
    expect(code, output).toBe(0);
    return output;
  };
  const [createDatabase = "", migrate = ""] = blocksOf("Create the database");
  await run(`${createDatabase}\n${migrate}`);
  const live = open(name);
  const createKey = async () => (await issueKey(live, { label: "test", contact: "test", expiresAt: null })).keyId;

  // Before the backup.
  await savePeople(live, everybody.slice(0, -1));
  const [valid, revoked] = [await createKey(), await createKey()];
  await hide(live, [SHOWN_LATER]);
  await ask(live, CANCELS, "erase");
  await hide(live, [SHOWN_BEFORE]);
  await run("credence decisions export older.ndjson");
  await show(live, [SHOWN_BEFORE]);
  await refreshStanding(live);
  const documents = await readDocuments(live, [NOTHING, SHOWN_BEFORE]);
  const [backUp = ""] = blocksOf("Back up");
  await run(backUp);

  // After the backup.
  await importLines(live, [everybody[ARRIVES - 1]]);
  await hide(live, [HIDES]);
  await show(live, [SHOWN_LATER]);
  await erase(live, [ERASED]);
  await ask(live, CANCELS, "show");
  await ask(live, ASKS, "erase");
  await ask(live, HIDES_BY_SIGNATURE, "hide");
  await ask(live, ARRIVES, "hide");
  await revokeKey(live, revoked);
  await createKey();
  await refreshStanding(live);
  await refreshStanding(live);
  const shown = [NOTHING, SHOWN_LATER, CANCELS, SHOWN_BEFORE];
  expect(await listShown(live)).toEqual(shown);
  await run("credence decisions export decisions.ndjson");
  const file = await readFile(join(folder, "decisions.ndjson"), "utf8");

  // Restore. A worker is started too early, while the erasure that was cancelled is due.
  const [create = "", restore = "", swap = "", dropOld = ""] = blocksOf("Restore");
  const at = restore.split("\n").findIndex((line) => line.includes("decisions import"));
  const lines = restore.split("\n");
  await run([create, ...lines.slice(0, at)].join("\n"));
  const restored = open(`${name}_restored`);
  await passGrace(restored);
  const RESTORED_URL = lines[0] as string;
  const early = await run(
    `${RESTORED_URL}\nDATABASE_URL=$RESTORED_URL DECISIONS_FILE=decisions.ndjson credence work --until-done`,
  );
  expect(early).toContain('This database lacks decisions of "decisions.ndjson". No request of a holder is processed');
  expect(await readFile(join(folder, "decisions.ndjson"), "utf8")).toBe(file);
  const refused = `${RESTORED_URL}\n! DATABASE_URL=$RESTORED_URL credence decisions export decisions.ndjson`;
  expect(await run(refused)).toContain('Import it first: credence decisions import "decisions.ndjson"');
  const diagnosed = `${RESTORED_URL}\n! DATABASE_URL=$RESTORED_URL DECISIONS_FILE=decisions.ndjson credence doctor`;
  expect(await run(diagnosed)).toContain('This database lacks decisions of "decisions.ndjson"');
  const output = await run([RESTORED_URL, ...lines.slice(at)].join("\n"));
  expect(output).toContain(`Erased now: passport ${ERASED}.`);
  expect(output).toMatch(new RegExp(`passport unhide\`: passport ${ASKS}\\.`));

  await work(restored);
  expect(await listShown(restored)).toEqual(shown);
  await refreshStanding(restored);
  expect(await listRanked(restored)).toEqual(shown);
  expect(await readDocuments(restored, [NOTHING, SHOWN_BEFORE])).toEqual(documents);
  const { rows: requests } = await restored.query(
    "select passport_ids::int[], wish, state from holder_request order by 1",
  );
  expect(requests).toEqual([{ passport_ids: [CANCELS], wish: "erase", state: "refused" }]);
  const { rows: keys } = await restored.query("select key_id, revoked_at is null as is_valid from api_key");
  expect(new Map(keys.map((key) => [key.key_id, key.is_valid]))).toEqual(
    new Map([
      [valid, true],
      [revoked, false],
    ]),
  );

  // The next import, the older file, and the file again.
  await importLines(restored, everybody);
  for (const name of ["older", "decisions"])
    await run(`${RESTORED_URL}\nDATABASE_URL=$RESTORED_URL credence decisions import ${name}.ndjson`);
  expect(await listShown(restored)).toEqual(shown);
  await refreshStanding(restored);
  expect(await listRanked(restored)).toEqual(shown);
  for (const database of opened.splice(0)) await database.end();
  await run(swap);
  expect(await run("credence doctor")).toContain(`asked to be erased before the data was restored`);
  await run(`${dropOld}\npsql -c "alter database ${name} rename to ${name}_restored"`);
  // The same commands when the old database is gone, each as it is pasted.
  expect(await run(`set +e\n${swap}\n${dropOld}`)).toContain(`database "${name}" does not exist`);
  expect(await run("credence doctor")).toContain(`asked to be erased before the data was restored`);
});
