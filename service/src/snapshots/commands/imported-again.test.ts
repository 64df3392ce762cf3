import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type Connection, queryColumn } from "#core/database/database.ts";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { decideNow, readTables } from "#testing/decide.ts";
import { testFolder } from "#testing/folder.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { readSnapshotLines } from "#testing/read-snapshot.ts";

// One server exports again and again, others import. What travels, and what does not.

const OTHER_KEY = "the OPT_OUT_KEY of another operator";
const folder = testFolder();
const at = (name: string): string => join(folder, name);
const pair = generateKeyPairSync("ed25519");
writeFileSync(at("private.pem"), pair.privateKey.export({ type: "pkcs8", format: "pem" }));
writeFileSync(at("public.pem"), pair.publicKey.export({ type: "spki", format: "pem" }));

async function openServer(optOutKey: string | undefined) {
  const { database, url } = await testDatabase();
  const environment = { DATABASE_URL: url, ...(optOutKey !== undefined && { OPT_OUT_KEY: optOutKey }) };
  const credence = (...args: string[]) => runCommand(args, environment);
  /** Runs a command that succeeds. */
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await credence(...args);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  return { database, credence, run };
}
type Server = Awaited<ReturnType<typeof openServer>>;

let exports = 0;
const exportFrom = async (server: Server): Promise<string> => {
  exports += 1;
  const name = at(`export-${exports}`);
  await server.run("export", name, "--sign", at("private.pem"));
  return name;
};
const importTo = async (server: Server, name: string, ...options: string[]) =>
  JSON.parse(await server.run("import", name, "--public-key", at("public.pem"), "--json", ...options));

/** The bytes of V1. */
async function readV1(database: Connection) {
  const tables = ["passport_document", "credential_document", "wallet_owner"];
  return Promise.all(tables.map(async (table) => (await database.query(`select * from ${table} order by 1`)).rows));
}
const expectSameV1 = async (one: Server, other: Server) =>
  expect(await readV1(other.database)).toEqual(await readV1(one.database));

const listStored = ({ database }: Server) =>
  queryColumn<number>(database, "select passport_id from person order by passport_id");
const listShown = ({ database }: Server) =>
  queryColumn<number>(database, "select passport_id from passport_document order by passport_id");

const W = wallet(7);
const PEOPLE = [
  person(1, { main_wallet: wallet(1) }),
  person(2, { main_wallet: wallet(2), verified_wallets: [wallet(22)] }),
  person(3, { main_wallet: W }),
  person(4, { main_wallet: wallet(4), verified_wallets: [W] }),
  person(5, { main_wallet: W, verified_wallets: [wallet(55)] }),
];

async function openPublisher(): Promise<Server> {
  const publisher = await openServer(OPT_OUT_KEY);
  await savePeople(publisher.database, PEOPLE);
  return publisher;
}

describe("a copy with the same OPT_OUT_KEY", () => {
  test("gives the same bytes of V1: hide, show and erase travel", async () => {
    const [publisher, copy, late] = await Promise.all([
      openPublisher(),
      openServer(OPT_OUT_KEY),
      openServer(OPT_OUT_KEY),
    ]);
    const travel = async () => importTo(copy, await exportFrom(publisher));
    expect(await travel()).toMatchObject({ added: 5, decisions: { decisions: 0, is_ours: true } });
    await expectSameV1(publisher, copy);
    await publisher.run("passport", "hide", "1", "--yes");
    await publisher.run("passport", "hide", "2", "--yes");
    expect(await travel()).toMatchObject({ unchanged: 5, decisions: { hidden: [1, 2] } });
    await expectSameV1(publisher, copy);
    await publisher.run("passport", "unhide", "1", "--yes");
    expect(await travel()).toMatchObject({ decisions: { shown: [1] } });
    await expectSameV1(publisher, copy);
    await publisher.run("passport", "erase", "3", "--yes");
    expect(await travel()).toMatchObject({ decisions: { erased: [3], lost_wallet: [4, 5], lost_main: [5] } });
    await expectSameV1(publisher, copy);
    expect(await listStored(copy)).toEqual([1, 2, 4, 5]);
    await importTo(late, `${at("export-")}${exports}`);
    await expectSameV1(publisher, late);
    // What came once changes nothing when it comes again.
    const before = await readTables(copy.database);
    expect(await importTo(copy, `${at("export-")}${exports}`)).toMatchObject({ unchanged: 4, decisions: { added: 0 } });
    expect(await readTables(copy.database)).toEqual(before);
  });

  test("keeps its own decisions, which the publisher does not know", async () => {
    const [publisher, copy] = await Promise.all([openPublisher(), openServer(OPT_OUT_KEY)]);
    await publisher.run("passport", "hide", "1", "--yes");
    await importTo(copy, await exportFrom(publisher));
    await copy.run("passport", "hide", "1", "--yes");
    await copy.run("passport", "hide", "2", "--yes");
    await copy.run("passport", "erase", "4", "--yes");
    await publisher.run("passport", "unhide", "1", "--yes");
    await importTo(copy, await exportFrom(publisher));
    expect(await listShown(copy)).toEqual([3, 5]);
    expect(await listStored(copy)).toEqual([1, 2, 3, 5]);
  });

  test("does not carry out an erasure that waits at the publisher, and hides the person", async () => {
    const [publisher, copy] = await Promise.all([openPublisher(), openServer(OPT_OUT_KEY)]);
    await decideNow(publisher.database, { action: "erase", by: "holder", passportId: 1, dueAt: new Date(0) });
    expect(await importTo(copy, await exportFrom(publisher))).toMatchObject({ decisions: { lost_erasures: [1] } });
    await copy.run("work", "--until-done");
    expect(await listStored(copy)).toContain(1);
    expect(await listShown(copy)).not.toContain(1);
  });
});

describe("a copy with another OPT_OUT_KEY, or none", () => {
  test.each([
    ["another", OTHER_KEY],
    ["none", undefined],
  ])("%s: hides people and keeps them out by number; asks first", async (_, key) => {
    const [publisher, copy] = await Promise.all([openPublisher(), openServer(key)]);
    await savePeople(copy.database, PEOPLE);
    await publisher.run("passport", "hide", "1", "--yes");
    await publisher.run("passport", "erase", "3", "--yes");
    const name = await exportFrom(publisher);
    const before = await readTables(copy.database);
    expect(await copy.credence("import", name)).toMatchObject({ code: 2, stdout: "" });
    expect((await copy.credence("import", name, "--dry-run")).code).toBe(0);
    expect(await readTables(copy.database)).toEqual(before);
    const { decisions } = await importTo(copy, name, "--yes");
    expect(decisions).toMatchObject({ is_ours: false, hidden: [1, 3], erased: [] });
    expect(await listStored(copy)).toEqual([1, 2, 3, 4, 5]);
    expect(await listShown(copy)).toEqual([2, 4, 5]);
    // Nothing is new, so nobody is asked.
    await importTo(copy, name);
    await publisher.run("passport", "unhide", "1", "--yes");
    await importTo(copy, await exportFrom(publisher), "--yes");
    expect(await listShown(copy)).toEqual([1, 2, 4, 5]);
  });
});

test("an export is a copy of the stored lines", async () => {
  const [one, other] = await Promise.all([openServer(OPT_OUT_KEY), openServer(OPT_OUT_KEY)]);
  await savePeople(one.database, inventDemoPeople());
  const lines = await queryColumn<string>(one.database, "select line::text from person order by passport_id");
  const name = await exportFrom(one);
  expect(await readSnapshotLines(name)).toEqual(lines);
  await importTo(other, name);
  expect(await queryColumn<string>(other.database, "select line::text from person order by passport_id")).toEqual(
    lines,
  );
  await expectSameV1(one, other);
});

test("4: a changed file of decisions is refused before anything is written", async () => {
  const publisher = await openPublisher();
  await publisher.run("passport", "hide", "3", "--yes");
  await publisher.run("export", at("changed"));
  const file = join(at("changed"), "decisions.ndjson.zst");
  const lines = zstdDecompressSync(readFileSync(file)).toString().split("\n");
  writeFileSync(file, zstdCompressSync(lines.toSpliced(1, 1).join("\n")));
  const other = await openServer(OPT_OUT_KEY);
  const before = await readTables(other.database);
  const { code, stderr } = await other.credence("import", at("changed"));
  expect(code, stderr).toBe(4);
  expect(stderr).toContain("decisions.ndjson.zst");
  expect(await readTables(other.database)).toEqual(before);
});
