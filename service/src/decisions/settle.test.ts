import { describe, expect, test } from "vitest";
import { type Database, queryColumn } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { listLines } from "#people/facts/people.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { decideNow, erase, hide, insertRequest, show } from "#testing/decide.ts";
import { importLines } from "#testing/import-lines.ts";
import { findName, findPassportById, findPassportByWallet } from "#testing/look-up.ts";
import { person, wallet } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";

const expectVerified = async (database: Database) =>
  expect((await verifyDocuments(database, () => {})).differences).toEqual([]);

const listStored = (database: Database): Promise<number[]> =>
  queryColumn(database, "select passport_id from person order by 1");

/** Tables with this text anywhere in a row. */
async function listTraces(database: Database, text: string): Promise<string[]> {
  const tables = await queryColumn<string>(
    database,
    "select tablename from pg_tables where schemaname = 'public' order by 1",
  );
  const found: string[] = [];
  for (const table of tables) {
    const { rowCount } = await database.query(
      `select from ${table} as stored where strpos(stored::text, $1) > 0 limit 1`,
      [text],
    );
    if (rowCount === 1) found.push(table);
  }
  return found;
}

const ownerOf = async (database: Database, address: string): Promise<number | null> => {
  const found = await findPassportByWallet(database, address);
  return found === null ? null : JSON.parse(found.body).passport_id;
};

describe("a hide", () => {
  test("removes a person from V1, and a show brings the stored bytes back", async () => {
    const { database, address } = await serving([
      person(1, { main_wallet: wallet(1) }),
      person(2, { display_name: "Zoë" }),
    ]);
    const read = async (path: string) => {
      const response = await fetch(`${address}/api/v1/${path}`);
      return [response.status, await response.text()];
    };
    const paths = ["passports/1", `passports/${wallet(1)}`, "passport_credentials?passport_id=1"];
    const before = await Promise.all(paths.map(read));
    await hide(database, [1]);
    expect(await read("passports/1")).toEqual(await read("passports/99"));
    expect(await read(`passports/${wallet(1)}`)).toEqual(await read("passports/99"));
    expect(JSON.parse((await read("passports"))[1] as string).passports).toMatchObject([{ passport_id: 2 }]);
    expect(JSON.parse((await read("passports?keyword=person"))[1] as string).passports).toEqual([]);
    await expectVerified(database);
    await show(database, [1]);
    expect(await Promise.all(paths.map(read))).toEqual(before);
    await expectVerified(database);
  });

  test("an import changes the facts of a hidden person, and does not show them", async () => {
    const { database } = await testDatabase();
    await importLines(database, [person(1)]);
    await hide(database, [1]);
    expect(await importLines(database, [person(1, { display_name: "New" })])).toMatchObject({ changed: 1 });
    expect(await findName(database, 1)).toBeNull();
    await show(database, [1]);
    expect(await findName(database, 1)).toBe("New");
    await expectVerified(database);
  });
});

describe("an erasure", () => {
  const EVM = `0x${"fe".repeat(20)}`;
  const SOLANA = "4Nd1mYzzUnEraserTestWa11etzQzQzQzQzQzQzQzQzQ";

  /** Person 1 has two wallets, which others list: 2 as a further one, 3 as the main one, 4 is merged, 5 is hidden. */
  async function prepare() {
    const { database } = await testDatabase();
    const people = [
      person(1, { main_wallet: EVM, verified_wallets: [EVM, SOLANA], display_name: "Quixanthe" }),
      person(2, { main_wallet: wallet(2), verified_wallets: [wallet(2), SOLANA] }),
      person(3, { main_wallet: EVM, verified_wallets: [wallet(3)] }),
      person(4, { main_wallet: SOLANA, merged: true }),
      person(5, { verified_wallets: [EVM] }),
      person(6, { verified_wallets: [wallet(6)] }),
    ];
    await importLines(database, people);
    await hide(database, [5]);
    await refreshStanding(database);
    return { database, people };
  }

  test("deletes the person, and takes the wallets from every other record and from the list", async () => {
    const { database } = await prepare();
    const settled = await decideNow(database, { action: "erased", by: "operator", passportId: 1 });
    expect(settled).toEqual({ erased: [1], losing: [2, 3, 4, 5], lostMain: [3, 4] });
    for (const text of [EVM, SOLANA, "Quixanthe"]) expect(await listTraces(database, text)).toEqual([]);
    expect(await ownerOf(database, SOLANA)).toBeNull();
    await expectVerified(database);
    await refreshStanding(database);
    expect(await listTraces(database, "quixanthe")).toEqual([]);
    await expectVerified(database);
  });

  test("deletes, hides and shows nobody else", async () => {
    const { database } = await prepare();
    const shown = "select passport_id from passport_document order by 1";
    await erase(database, [1]);
    expect(await listStored(database)).toEqual([2, 3, 4, 5, 6]);
    expect(await queryColumn(database, shown)).toEqual([2, 3, 4, 6]);
    const { main_wallet, verified_wallets } = JSON.parse((await findPassportById(database, 3))?.body ?? "");
    expect({ main_wallet, verified_wallets }).toEqual({ main_wallet: null, verified_wallets: [wallet(3)] });
    expect(await queryColumn(database, "select passport_id from person where lost_main order by 1")).toEqual([3, 4]);
  });

  test("is repeated by the next import of the same lines, which changes nothing", async () => {
    const { database, people } = await prepare();
    await erase(database, [1]);
    const before = await listLines(database, [2, 3, 4, 5, 6]);
    expect(await importLines(database, people)).toMatchObject({
      erased: 1,
      added: 0,
      changed: 0,
      unchanged: 5,
      wallets_removed: 4,
      lost_main: [3, 4],
    });
    expect(await listLines(database, [1, 2, 3, 4, 5, 6])).toEqual(before);
    await expectVerified(database);
  });

  test("in any spelling of the wallet", async () => {
    const { database } = await testDatabase();
    await importLines(database, [
      person(1, { main_wallet: EVM }),
      person(2, { verified_wallets: [EVM.toUpperCase().replace("0X", "0x")] }),
      person(5, { main_wallet: `eip155:1:${EVM}` }),
      person(6, { verified_wallets: [` ${EVM.slice(2).toUpperCase()}`, "alice.near"] }),
    ]);
    await erase(database, [1]);
    expect(await listTraces(database, EVM.slice(2))).toEqual([]);
    expect(await listTraces(database, EVM.slice(2).toUpperCase())).toEqual([]);
    const again = [
      person(3, { main_wallet: `eip155:1:${EVM}` }),
      person(4, { verified_wallets: [` ${EVM.slice(2)}`] }),
    ];
    expect(await importLines(database, again)).toMatchObject({ added: 2, wallets_removed: 2, lost_main: [3] });
    expect(await listTraces(database, EVM.slice(2))).toEqual([]);
    await expectVerified(database);
  });

  test("removes wallets from the list that are not in the facts any more", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(5, { main_wallet: EVM }), person(6, { verified_wallets: [EVM] })]);
    await refreshStanding(database);
    await importLines(database, [person(6)]);
    await erase(database, [5]);
    expect(await listTraces(database, EVM)).toEqual([]);
    await expectVerified(database);
  });

  test("of several people who list each other's wallets", async () => {
    const { database } = await prepare();
    await erase(database, [1, 3]);
    expect(await listStored(database)).toEqual([2, 4, 5, 6]);
    expect(await importLines(database, [person(9, { main_wallet: wallet(3), verified_wallets: [EVM] })])).toMatchObject(
      {
        added: 1,
        wallets_removed: 2,
      },
    );
    await expectVerified(database);
  });

  test("of a person who is not stored keeps them out", async () => {
    const { database } = await testDatabase();
    await erase(database, [1]);
    expect(await importLines(database, [person(1)])).toMatchObject({ added: 0, erased: 1 });
  });

  test("forgets what was signed about the person or with the wallets, except for its own request", async () => {
    const { database } = await prepare();
    const insert = (passportId: number, address: string) =>
      insertRequest(database, { passportId, wish: "erase", state: "review", address });
    const own = await insert(1, EVM);
    const others = [await insert(1, wallet(50)), await insert(99, EVM)];
    const unconcerned = await insert(6, wallet(6));
    await decideNow(database, { action: "erased", by: "worker", passportId: 1, request: own });
    const { rows } = await database.query(
      "select request, message is null as is_forgotten, state from holder_request order by request_id",
    );
    expect(rows).toEqual([
      { request: own, is_forgotten: false, state: "review" },
      ...others.map((request) => ({ request, is_forgotten: true, state: "refused" })),
      { request: unconcerned, is_forgotten: false, state: "review" },
    ]);
  });

  test("with `allow`, the next import of the same lines brings the record and the wallets of others back", async () => {
    const { database, people } = await prepare();
    const before = await listLines(database, [1, 2, 3, 4, 5, 6]);
    await erase(database, [1]);
    await importLines(database, people);
    await decideNow(database, { action: "allow", by: "operator", passportId: 1 });
    expect(await listStored(database)).toEqual([2, 3, 4, 5, 6]);
    expect(await importLines(database, people)).toMatchObject({ added: 1, changed: 4, erased: 0, wallets_removed: 0 });
    expect(await listLines(database, [1, 2, 3, 4, 5, 6])).toEqual(before);
    expect(await ownerOf(database, EVM)).toBe(1);
    await expectVerified(database);
  });

  test("after `allow` and a new erasure, only the wallets that the record lists then count", async () => {
    const { database } = await testDatabase();
    await importLines(database, [person(1, { verified_wallets: [EVM] })]);
    await erase(database, [1]);
    await decideNow(database, { action: "allow", by: "operator", passportId: 1 });
    await importLines(database, [person(1, { verified_wallets: [SOLANA] })]);
    await erase(database, [1]);
    const imported = await importLines(database, [person(2, { verified_wallets: [EVM, SOLANA] })]);
    expect(imported).toMatchObject({ added: 1, wallets_removed: 1 });
    expect(await ownerOf(database, EVM)).toBe(2);
  });

  test("wallets are recognised under any key of OPT_OUT_KEY, and under no other", async () => {
    const { database } = await testDatabase();
    const [oldKey, newKey] = ["an old key that nobody could guess", "a new key that nobody could guess"];
    await importLines(database, [
      person(1, { verified_wallets: [wallet(1)] }),
      person(2, { verified_wallets: [wallet(2)] }),
    ]);
    await erase(database, [1], oldKey);
    await erase(database, [2], newKey);
    const lines = [person(1), person(3, { verified_wallets: [wallet(1), wallet(2)] })];
    const importWith = (optOutKeys: string[]) => importLines(database, lines, { optOutKeys, dryRun: true });
    expect(await importWith([newKey, oldKey])).toMatchObject({ erased: 1, wallets_removed: 2 });
    expect(await importWith([oldKey])).toMatchObject({ erased: 1, wallets_removed: 1 });
    expect(await importWith([])).toMatchObject({ erased: 1, wallets_removed: 0 });
  });
});

test("after two builds of the list, its files do not contain the name of an erased person", async () => {
  const { database } = await testDatabase();
  const name = "zyxwvut uniquename";
  await savePeople(database, [person(1), person(2, { display_name: name })]);
  await refreshStanding(database);
  /** Tables and indexes of the list whose files contain the name, in deleted rows too. */
  const listFilesWithName = async (): Promise<string[]> => {
    await database.query("checkpoint");
    return queryColumn(
      database,
      `select relname from pg_class where relname ~ '^standing_\\d' and relkind in ('r', 'i') and pg_relation_size(oid) > 0
         and position($1::bytea in pg_read_binary_file(pg_relation_filepath(oid))) > 0 order by 1`,
      [Buffer.from(name)],
    );
  };
  expect(await listFilesWithName()).toContain("standing_2");
  await erase(database, [2]);
  await database.query("vacuum");
  await refreshStanding(database);
  await refreshStanding(database);
  expect(await listFilesWithName()).toEqual([]);
});
