import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "#cli.ts";
import type { Database } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { changePerson } from "#privacy/change-person.ts";
import { erasePerson } from "#privacy/erase-person.ts";
import { exportProtections, updateProtections } from "#restore/export-protections.ts";
import { importProtections } from "#restore/import-protections.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { FEED, startPublisher } from "#testing/publisher.ts";
import { testTerminal } from "#testing/terminal.ts";
import { checkMirror } from "./check-mirror.ts";
import { deleteDue } from "./delete-due.ts";
import { follow } from "./follow.ts";
import { updateImported } from "./mirror-of.ts";
import { takeOver } from "./take-over.ts";

const MANY = Array.from({ length: 30 }, (_, index) => person(index + 1, { main_wallet: wallet(index + 1) }));
const FEW = MANY.slice(0, 3);
const SETTINGS = { mirror: null, optOutKeys: [OPT_OUT_KEY] };

/** A mirror that has followed once. Each call of `show` publishes other people, and follows. */
async function mirror(people = MANY) {
  const publisher = await startPublisher();
  const { database, url } = await testDatabase();
  const options = {
    ...{ url: publisher.url, publicKeyPath: publisher.publicKeyPath, basis: "A test" },
    ...{ optOutKeys: [OPT_OUT_KEY], refreshStanding },
  };
  let second = 0;
  const show = (shown: typeof MANY, on = database) => {
    second += 1;
    publisher.publish(shown, { at: new Date(Date.now() + second * 1_000) });
    return follow(on, options);
  };
  await show(people);
  return { database, url, options, show };
}

const listShown = async (database: Database): Promise<number[]> =>
  (await database.query("select passport_id from passport_document order by 1")).rows.map((row) => row.passport_id);
const countRows = async (database: Database, from: string): Promise<number> =>
  Number((await database.query(`select count(*) from ${from}`)).rows[0].count);

describe("more missing people than are deleted at once", () => {
  test("are shown to nobody, and shown again with the publisher's next snapshot", async () => {
    const { database, show } = await mirror();
    expect(await show(FEW)).toMatchObject({ imported: { deleted: 0, held: 27 } });
    expect(await listShown(database)).toEqual([1, 2, 3]);
    expect(await checkMirror(database, SETTINGS)).toMatchObject({
      state: "warning",
      finding: expect.stringMatching(/27 people/),
    });
    expect(await changePerson(database, { action: "unhide", passportId: 9 })).toMatchObject({
      refusal: expect.stringMatching(/does not show/),
    });
    await show(MANY);
    expect(await listShown(database)).toHaveLength(30);
    expect(await checkMirror(database, SETTINGS)).toMatchObject({ state: "ok" });
  });

  test("are deleted when the operator accepts, or after 30 days", async () => {
    const { database, show } = await mirror();
    await show(FEW);
    expect(await deleteDue(database, "waiting", [])).toBe(0);
    await database.query("update mirror_absent set delete_at = now() where passport_id = 9");
    expect(await deleteDue(database, "waiting", [])).toBe(1);
    expect(await deleteDue(database, "accepted", [])).toBe(26);
    expect(await countRows(database, "passport")).toBe(3);
  });

  test("are still decided on after a take-over", async () => {
    const { database, show } = await mirror();
    await show(FEW);
    expect(await takeOver(database, "It has died")).toMatchObject({ feed: FEED, people: 30, held: 27 });
    expect(await checkMirror(database, SETTINGS)).toMatchObject({
      state: "warning",
      finding: expect.stringMatching(/27 people/),
    });
    expect(await changePerson(database, { action: "unhide", passportId: 9 })).toMatchObject({ refusal: null });
    expect(await listShown(database)).toEqual([1, 2, 3, 9]);
    expect(await deleteDue(database, "accepted", [])).toBe(26);
    expect(await listShown(database)).toEqual([1, 2, 3, 9]);
    expect(await checkMirror(database, SETTINGS)).toMatchObject({ state: "ok" });
  });
});

test("a restored mirror hides for good who hid here while missing, and nobody else", async () => {
  const { database: live, show } = await mirror();
  await show(FEW);
  const { database: backup } = await testDatabase();
  for (const shown of [MANY, FEW]) await show(shown, backup);
  const path = join(testFolder(), "protections.ndjson");
  await exportProtections(live, path);
  const before = await readFile(path, "utf8");
  await changePerson(live, { action: "hide", passportId: 9 });
  await updateProtections(live, path);
  expect(await readFile(path, "utf8")).not.toBe(before);
  await importProtections(backup, path, { optOutKeys: [OPT_OUT_KEY], graceMs: 0, onProgress: () => {} });
  await show(MANY, backup);
  expect(await listShown(backup)).toHaveLength(29);
  expect(await listShown(backup)).not.toContain(9);
});

test("who asked the mirror to be erased does not come back, whatever the publisher shows meanwhile", async () => {
  const { database, show } = await mirror();
  await database.query(
    `insert into holder_request
       (code_hash, passport_id, action, address, message, signature, nonce, state, was_hidden, due_at)
     values (sha256('a'), 7, 'erase', $1, 'a', 'a', 'a', 'waiting', false, now() + interval '3 days')`,
    [wallet(7)],
  );
  await show(MANY.filter(({ passport }) => passport.passport_id !== 7));
  expect(await countRows(database, "opt_out where passport_id = 7")).toBe(1);
  await show(MANY);
  expect(await listShown(database)).not.toContain(7);
});

test("a wallet of somebody who is erased here stays nowhere", async () => {
  const W = wallet(99);
  const { database, show } = await mirror();
  const claiming = [4, 5].map((id) => ({
    ...person(id, { main_wallet: wallet(id), verified_wallets: [W] }),
    operator: { merged_into: null, unowned_wallets: [W] },
  }));
  const people = [...MANY.filter(({ passport: { passport_id } }) => ![4, 5].includes(passport_id)), ...claiming];
  await show(people as typeof MANY);
  expect(await countRows(database, "unowned_wallet")).toBe(2);
  await erasePerson(database, 4, OPT_OUT_KEY);
  const changed = person(5, { main_wallet: wallet(5), verified_wallets: [W], score: 9 });
  await show([...people.slice(0, -1), { ...changed, operator: claiming[1]?.operator }] as typeof MANY);
  expect(await countRows(database, `unowned_wallet where address = '${W}'`)).toBe(0);
  expect(await countRows(database, `passport_wallet where address = '${W}'`)).toBe(0);
});

test("a mirror that was stale for 30 days deletes everybody, and imports the same snapshot again", async () => {
  const { database, options } = await mirror();
  await database.query("update mirror_of set expires_at = now() - interval '29 days'");
  expect(await deleteDue(database, "waiting", [])).toBe(0);
  expect(await checkMirror(database, SETTINGS)).toMatchObject({
    state: "problem",
    finding: expect.stringMatching(/in 1 day everybody/),
  });
  await database.query("update mirror_of set expires_at = now() - interval '30 days'");
  expect(await deleteDue(database, "waiting", [])).toBe(30);
  expect(await countRows(database, "passport_wallet")).toBe(0);
  expect(await follow(database, options)).toMatchObject({ imported: { added: 30 } });
});

test("the commands of docs/MIRROR.md for a mirror follow the publisher", async () => {
  const { url, options } = await mirror(FEW);
  const page = readFileSync(new URL("../../../../docs/MIRROR.md", import.meta.url), "utf8");
  const [, line = ""] = /^export (MIRROR_OF_FILE=.*)\ncredence mirror$/m.exec(page) ?? [];
  const path = join(testFolder(), "publisher-url");
  writeFileSync(path, `${options.url}\n`);
  const settings = [...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)].map(([, name = "", quoted, plain]) => [
    name,
    quoted ?? plain?.replace("./publisher-url", path).replace("publisher.pem", options.publicKeyPath) ?? "",
  ]);
  const environment = { DATABASE_URL: url, OPT_OUT_KEY, ...Object.fromEntries(settings) };
  expect(await runCommand(["mirror"], environment)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Nothing new/),
  });
});

test("doctor warns of polls that fail for half an hour", async () => {
  const { database } = await mirror(FEW);
  const fail = (ago: string) =>
    database.query("update mirror_of set failure = 'Too bad.', failed_since = now() - $1::interval", [ago]);
  await fail("29 minutes");
  expect(await checkMirror(database, SETTINGS)).toMatchObject({ state: "ok" });
  await fail("31 minutes");
  expect(await checkMirror(database, SETTINGS)).toMatchObject({
    state: "warning",
    finding: expect.stringMatching(/\(Too bad\); in .*, this mirror will show nobody$/),
    advice: expect.stringContaining("Correct the cause"),
  });
});

test("before a take-over, the question says what is taken over, and how old it is", async () => {
  const { database, url } = await mirror(FEW);
  const ask = async () => {
    const terminal = testTerminal(["mirror", "take-over", "--basis", "It has died"], { DATABASE_URL: url }, "n\n");
    Object.assign(terminal.stdin, { isTTY: true });
    await run(terminal);
    return terminal.printed().stderr;
  };
  expect(await ask()).toMatch(
    /This mirror has 3 people, as https?:.* showed them .* ago\. Go on without it, for good\? \[y\/N\] Nothing was changed/,
  );
  await takeOver(database, "It has died");
  expect(await ask()).toContain("It took over on");
});

describe("what is refused, and changes nothing", () => {
  test("to follow without a key for those who are erased here", async () => {
    const { database, options } = await mirror(FEW);
    await expect(follow(database, { ...options, optOutKeys: [] })).rejects.toThrow("OPT_OUT_KEY is not set");
    expect(await checkMirror(database, { ...SETTINGS, optOutKeys: [] })).toMatchObject({ state: "problem" });
  });

  test("a snapshot that another process has overtaken", async () => {
    const { database } = await mirror(FEW);
    const older = {
      feed: FEED,
      createdAt: "2020-01-01T00:00:00.000Z",
      manifestSha256: "0".repeat(64),
      continues: null,
    };
    await expect(updateImported(database, older, 0)).rejects.toThrow("Another process has imported a newer snapshot");
    await takeOver(database, "It has died");
    const newer = { ...older, createdAt: "2999-01-01T00:00:00.000Z" };
    await expect(updateImported(database, newer, 0)).rejects.toThrow();
  });

  test("a plain import, until the server has taken over", async () => {
    const { database, url } = await mirror(FEW);
    const path = join(testFolder(), "people.ndjson");
    writeFileSync(path, `${JSON.stringify(person(77))}\n`);
    const importOne = () => runCommand(["import", path], { DATABASE_URL: url, OPT_OUT_KEY });
    const refusal = expect.stringContaining("This server is a mirror");
    expect(await importOne()).toMatchObject({ code: 4, stderr: refusal });
    expect(await listShown(database)).toEqual([1, 2, 3]);
    await takeOver(database, "It has died");
    expect(await importOne()).toMatchObject({ code: 0 });
    expect(await listShown(database)).toEqual([1, 2, 3, 77]);
  });
});
