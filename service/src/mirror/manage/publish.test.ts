import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Latest } from "@credence/contract/snapshot.ts";
import { describe, expect, test } from "vitest";
import type { Database } from "#core/database/database.ts";
import { parseLatest, readLatest } from "#mirror/latest.ts";
import { findPublicationState } from "#mirror/publication-state.ts";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { erasePerson } from "#privacy/erase-person.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { readSnapshotLines } from "#testing/read-snapshot.ts";
import { checkPublication } from "./check-publication.ts";
import { type Published, type PublishOptions, publish } from "./publish.ts";
import { nameOf } from "./published-folder.ts";

const keys = generateKeyPairSync("ed25519");
const HOUR_MS = 3_600_000;

async function openPublisher(people: Parameters<typeof savePeople>[1]) {
  const { database } = await testDatabase();
  await savePeople(database, people);
  const folder = join(testFolder(), "mirror");
  const options: PublishOptions = { folder, privateKey: keys.privateKey, source: "https://p.test", sunsetAt: null };
  const run = async (other: Partial<PublishOptions> = {}) =>
    (await publish(database, { ...options, ...other })) as Published;
  const read = (): Latest => readLatest(readFileSync(join(folder, "latest.json")), [keys.publicKey]).latest;
  /** As if the snapshot had been published some time ago. */
  const age = async (ms: number) => {
    const latest = parseLatest(readFileSync(join(folder, "latest.json")));
    const created_at = new Date(Date.parse(latest.created_at) - ms).toISOString();
    const snapshot = nameOf(created_at);
    writeFileSync(join(folder, "latest.json"), JSON.stringify({ ...latest, snapshot, created_at }));
    renameSync(join(folder, latest.snapshot), join(folder, snapshot));
    await database.query("update publication set snapshot = $1", [snapshot]);
    const seconds = (Date.now() - ms) / 1_000;
    utimesSync(join(folder, snapshot, "manifest.json"), seconds, seconds);
  };
  const list = () => readdirSync(folder).sort();
  const lines = async () => (await readSnapshotLines(join(folder, read().snapshot))).map((line) => JSON.parse(line));
  return { database, folder, run, read, age, list, lines };
}

const hide = (database: Database, passportId: number) => changePerson(database, { action: "hide", passportId });

describe("what is published", () => {
  test("only what V1 shows: nobody hidden, no carried field, and no id of anybody who is not shown", async () => {
    const W = wallet(9);
    const { database, run, lines } = await openPublisher([
      person(1, { main_wallet: wallet(1) }, { operator: { hidden: true } }),
      person(2, { main_wallet: wallet(2) }, { operator: { merged_into: 1 } }),
      person(3, { main_wallet: W }, { operator: { hidden: true } }),
      person(4, { main_wallet: wallet(4), verified_wallets: [W] }),
      person(5, { main_wallet: wallet(5) }, { operator: { merged_into: 6 } }),
      person(6, { main_wallet: wallet(6) }, { operator: { merged_into: 4, hidden: true } }),
    ]);
    await database.query("update carried_fields set fields = '{verified}'");
    const carrying = person(7);
    await savePeople(database, [{ ...carrying, passport: { ...carrying.passport, verified: true } }]);
    await run();
    const found = (await lines()).map(({ passport: { passport_id, merged, verified }, operator }) => ({
      passport_id,
      merged,
      ...(verified !== undefined && { verified }),
      ...operator,
    }));
    expect(found).toEqual([
      { passport_id: 2, merged: true, merged_into: null, unowned_wallets: [wallet(2)] },
      { passport_id: 4, merged: false, merged_into: null, unowned_wallets: [W] },
      { passport_id: 5, merged: false, merged_into: 4 },
      { passport_id: 7, merged: false, merged_into: null },
    ]);
  });

  test("its manifest is of version 2, which older programs refuse, and names the feed", async () => {
    const { folder, run, read } = await openPublisher([person(1)]);
    const { latest } = await run();
    const manifest = JSON.parse(readFileSync(join(folder, read().snapshot, "manifest.json"), "utf8"));
    expect(manifest).toMatchObject({ version: 2, for: "mirrors", feed: latest?.feed, source: "https://p.test" });
    expect(manifest).not.toHaveProperty("opt_out");
    expect(statSync(join(folder, "latest.json")).mode & 0o777).toBe(0o640);
    expect(statSync(join(folder, read().snapshot, "people-00001.ndjson.zst")).mode & 0o777).toBe(0o640);
    // The system call filter of the unit refuses a mode with the set-group-ID bit.
    expect(statSync(join(folder, read().snapshot)).mode & 0o7777).toBe(0o750);
    expect(statSync(folder).mode & 0o7777).toBe(0o750);
  });
});

describe("when it is published", () => {
  test("latest.json is signed anew each time; the snapshot only if something has changed", async () => {
    const { database, run, read, age } = await openPublisher([person(1), person(2)]);
    await run();
    const first = read();
    expect(Date.parse(first.expires_at) - Date.parse(first.at)).toBe(6 * HOUR_MS);
    await age(48 * HOUR_MS);
    expect(await run()).toMatchObject({ people: null });
    expect(Date.parse(read().at)).toBeGreaterThan(Date.parse(first.at));
    await savePeople(database, [person(1, { score: 7 })]);
    expect(await run()).toMatchObject({ people: 2 });
    await savePeople(database, [person(1, { score: 8 })]);
    await age(23 * HOUR_MS);
    expect(await run()).toMatchObject({ people: null });
  });

  test.each([
    ["hidden", (database: Database) => hide(database, 2)],
    ["erased", (database: Database) => erasePerson(database, 2, OPT_OUT_KEY)],
    ["without a wallet", (database: Database) => savePeople(database, [person(2, { main_wallet: wallet(2) })])],
  ])("somebody is %s: within the hour, and at most once an hour", async (_, change) => {
    const { database, run, age, list } = await openPublisher([
      person(1),
      person(2, { main_wallet: wallet(2), verified_wallets: [wallet(3)] }),
    ]);
    await run();
    await change(database);
    expect((await run()).people).toBeNull();
    await age(HOUR_MS - 60_000);
    const early = await run();
    expect(early.people).toBeNull();
    expect(early.nextMs).toBeLessThanOrEqual(60_000);
    await age(60_000);
    const [before] = list();
    expect((await run()).people).not.toBeNull();
    // Mirrors may still be reading the one before.
    expect(list()).toContain(before);
  });

  test("the snapshot before is deleted when latest.json is two polls old, with what a dead run has left", async () => {
    const { database, folder, run, age, list, read } = await openPublisher([person(1), person(2)]);
    await run();
    await hide(database, 2);
    await age(HOUR_MS);
    await run();
    expect(list()).toHaveLength(3);
    writeFileSync(join(folder, "2020-01-01T000000Z.part"), "");
    await age(9 * 60_000);
    await run();
    expect(list()).toHaveLength(4);
    await age(60_000 + 9 * 60_000);
    await run();
    expect(list()).toEqual([read().snapshot, "latest.json"]);
  });

  test("after the sunset: a last file says so, and the people are deleted", async () => {
    const { folder, run, read, list, age } = await openPublisher([person(1)]);
    await run();
    await age(HOUR_MS);
    const sunsetAt = new Date(Date.now() - 60_000);
    await run({ sunsetAt });
    const last = read();
    expect(last.ended).toBe(true);
    await run({ sunsetAt });
    expect(list()).toContain(last.snapshot);
    const earlier = { ...last, at: new Date(Date.parse(last.at) - 600_000).toISOString() };
    writeFileSync(join(folder, "latest.json"), `${JSON.stringify(earlier)}\n`);
    await run({ sunsetAt });
    expect(list()).toEqual(["latest.json"]);
    // It was put off.
    expect(await run()).toMatchObject({ people: 1 });
    expect(read()).not.toHaveProperty("ended");
  });
});

describe("doctor", () => {
  const SETTINGS = { publish: null, sunsetAt: null };
  const sign = (database: Database, ago: string) =>
    database.query(
      "update publication set signed_at = now() - $1::interval, signed_until = now() + '6 hours' - $1::interval",
      [ago],
    );

  test("says that a worker publishes nothing, or no more", async () => {
    const { database, run, folder } = await openPublisher([person(1)]);
    const publishes = { ...SETTINGS, publish: { folder, keyPath: "key.pem", toNamedReaders: false } };
    expect(await checkPublication(database, SETTINGS)).toEqual({
      state: "ok",
      finding: "nothing is published for mirrors",
    });
    expect(await checkPublication(database, publishes)).toMatchObject({ state: "problem" });
    await run();
    expect(await checkPublication(database, publishes)).toMatchObject({ state: "ok" });
    await sign(database, "31 minutes");
    expect(await checkPublication(database, SETTINGS)).toMatchObject({
      state: "warning",
      finding: expect.stringMatching(/^files for mirrors were signed 31 min ago; in 5 h, mirrors will show nobody$/),
    });
    await sign(database, "6 hours");
    expect(await checkPublication(database, SETTINGS)).toMatchObject({ state: "problem" });
    await run();
    expect(await checkPublication(database, SETTINGS)).toMatchObject({ state: "ok" });
    await sign(database, "30 days");
    expect(await checkPublication(database, SETTINGS)).toMatchObject({ state: "ok" });
  });

  test("waits for nothing after the end of V1", async () => {
    const { database, run } = await openPublisher([person(1)]);
    await run();
    const sunsetAt = new Date(Date.now() - 60_000);
    await run({ sunsetAt });
    expect(await checkPublication(database, { ...SETTINGS, sunsetAt })).toMatchObject({ state: "ok" });
    expect(await findPublicationState(database)).toBeNull();
  });
});

describe("what is refused, and changes nothing", () => {
  test("a folder with other files", async () => {
    const { folder, run, list } = await openPublisher([person(1)]);
    mkdirSync(folder);
    writeFileSync(join(folder, "private.pem"), "a secret");
    await expect(run()).rejects.toThrow('contains "private.pem", which your web server would give to mirrors');
    expect(list()).toEqual(["private.pem"]);
  });

  test("a folder of another feed", async () => {
    const { folder, run } = await openPublisher([person(1)]);
    await run();
    const other = await openPublisher([person(1)]);
    await expect(other.run({ folder })).rejects.toThrow("files of another feed");
  });

  test("a clock that went back", async () => {
    const { folder, run, read } = await openPublisher([person(1)]);
    await run();
    const ahead = { ...read(), at: new Date(Date.now() + HOUR_MS).toISOString() };
    writeFileSync(join(folder, "latest.json"), JSON.stringify(ahead));
    await expect(run()).rejects.toThrow("the clock of the database is at");
    expect(JSON.parse(readFileSync(join(folder, "latest.json"), "utf8"))).toEqual(ahead);
  });

  test("nobody to show", async () => {
    const { run, list } = await openPublisher([person(1, {}, { operator: { hidden: true } })]);
    await expect(run()).rejects.toThrow("V1 shows nobody here");
    expect(list()).toEqual([]);
  });

  test("a mirror", async () => {
    const { database, run } = await openPublisher([person(1)]);
    await database.query("insert into mirror_of (url, basis, keys) values ('https://a.test', 'a', '{}')");
    await expect(run()).rejects.toThrow("This server is a mirror, and publishes nothing.");
  });

  test("a latest.json that is damaged", async () => {
    const { folder, run } = await openPublisher([person(1)]);
    await run();
    writeFileSync(join(folder, "latest.json"), "{");
    await expect(run()).rejects.toThrow("latest.json is invalid");
  });
});
