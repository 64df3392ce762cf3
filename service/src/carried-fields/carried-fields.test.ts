import { CARRIED_FIELDS, type CarriedField } from "@credence/contract/carried.ts";
import type { Person } from "@credence/contract/person.ts";
import { expect, test } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { diagnose } from "#doctor/diagnose.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { countCarriedValues, findCarriedState, updateCarriedFields } from "#people/facts/carried-fields.ts";
import { readPeople } from "#people/read/read-people.ts";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { erasePerson } from "#privacy/erase-person.ts";
import { testDatabase } from "#testing/database.ts";
import { importAndVerify, importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { changeCarriedFields, presentNext } from "./carried-fields.ts";

const ALL = new Set(CARRIED_FIELDS);
const carry = (database: Database, fields: Iterable<CarriedField> = ALL) =>
  changeCarriedFields(
    database,
    () => new Set(fields),
    () => {},
  );

const IMAGE = "https://images.example/1.png";

/** A line with values of the three fields. */
function line(id: number, { verified = true, name = "Ada", image_url = IMAGE } = {}): Person {
  const { passport, credentials } = person(id, { main_wallet: wallet(id) });
  const passport_profile = { ...passport.passport_profile, name, image_url };
  return { passport: { ...passport, verified, passport_profile }, credentials };
}

async function answersOf(database: Database, id: number): Promise<string> {
  const { rows } = await database.query("select body, tail from passport_document where passport_id = $1", [id]);
  return rows[0] === undefined ? "" : rows[0].body.slice(0, -1) + rows[0].tail;
}

const checkOf = async (database: Database, name: string) =>
  (await diagnose(database, readConfig({}))).find((check) => check.name === name);

test("values are stored only while carried; the same lines bring them in; a drop deletes them", async () => {
  const { database } = await testDatabase();
  const lines = [line(1), line(2, { image_url: "javascript:alert(1)" }), person(3)];
  const omitted = { verified: 2, "passport_profile.name": 2, "passport_profile.image_url": 2 };
  expect(await importAndVerify(database, lines)).toMatchObject({ added: 3, omitted });
  const before = await answersOf(database, 1);
  expect(before).not.toMatch(/"verified":|"name":|"image_url":/);
  expect(await countCarriedValues(database)).toEqual(zeroes());

  expect(await carry(database)).toEqual(ALL);
  expect(await answersOf(database, 1)).toBe(
    before
      .replace('"tags":[]', '"tags":[],"name":null,"image_url":null')
      .replace(',"merged"', ',"verified":null,"merged"'),
  );
  expect((await verifyDocuments(database, () => {})).different).toBe(0);

  expect(await importAndVerify(database, lines)).toMatchObject({
    changed: 2,
    unchanged: 1,
    omitted: { ...zeroes(), "passport_profile.image_url": 1 },
  });
  expect(await importAndVerify(database, lines)).toMatchObject({ unchanged: 3, omitted: zeroes() });
  expect(JSON.parse(await answersOf(database, 1))).toMatchObject({
    verified: true,
    passport_profile: { name: "Ada", image_url: IMAGE },
  });
  expect(JSON.parse(await answersOf(database, 2)).passport_profile.image_url).toBeNull();

  await carry(database, ["verified"]);
  expect(await answersOf(database, 1)).toBe(before.replace(',"merged"', ',"verified":true,"merged"'));
  expect(await countCarriedValues(database)).toEqual({ ...zeroes(), verified: 2 });
  await carry(database, []);
  expect(await answersOf(database, 1)).toBe(before);
  const { rows } = await database.query(
    "select from pg_stats where tablename = 'passport' and attname = 'name' and null_frac < 1",
  );
  expect(rows).toEqual([]);
  expect(await countCarriedValues(database)).toEqual(zeroes());
});

const zeroes = () => ({ verified: 0, "passport_profile.name": 0, "passport_profile.image_url": 0 });

test("hide and the list keep the values; an erasure deletes them", async () => {
  const { database } = await testDatabase();
  await carry(database);
  await importLines(database, [line(1), line(2), line(3)]);
  await changePerson(database, { action: "hide", passportId: 1 });
  await changePerson(database, { action: "unhide", passportId: 1 });
  await refreshStanding(database);
  expect((await verifyDocuments(database, () => {})).different).toBe(0);
  for (const { passport } of await readPeople(database, [1, 2, 3])) {
    expect(passport).toMatchObject({ verified: true, passport_profile: { name: "Ada", image_url: IMAGE } });
  }
  const { rows } = await database.query("select body from standing_2 order by rank");
  expect(rows.map(({ body }) => JSON.parse(body).verified)).toEqual([true, true, true]);
  await erasePerson(database, 3, OPT_OUT_KEY);
  expect(await countCarriedValues(database)).toMatchObject({ "passport_profile.name": 2 });
});

test("people that are written before all are presented have the fields at once; doctor says that others have not", async () => {
  const { database } = await testDatabase();
  await savePeople(database, [line(1), line(2)]);
  await inTransaction(database, async (connection) => {
    await lockPeople(connection);
    await updateCarriedFields(connection, ALL);
  });
  await savePeople(database, [line(2)]);
  expect(await answersOf(database, 1)).not.toContain('"verified"');
  expect(await answersOf(database, 2)).toContain('"verified":true');
  expect(await checkOf(database, "documents")).toMatchObject({ state: "warning" });
  expect(await presentNext(database)).toBe(2);
  expect(await answersOf(database, 1)).toContain('"verified":null');
  expect(await presentNext(database)).toBe(0);
  expect(await checkOf(database, "documents")).toMatchObject({ state: "ok" });
});

test("a batch that was prepared before a change of the fields is prepared again, and its digest is not kept", async () => {
  const { database } = await testDatabase();
  const changing = await database.connect();
  await changing.query("begin");
  await lockPeople(changing);
  await updateCarriedFields(changing, ALL);
  const importing = importLines(database, [line(1), line(2)]);
  await expect
    .poll(async () => {
      const { rows } = await database.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length;
    })
    .toBe(1);
  await changing.query("commit");
  changing.release();
  expect(await importing).toMatchObject({ added: 2, omitted: zeroes() });
  expect(await answersOf(database, 1)).toContain('"verified":true');
  expect((await verifyDocuments(database, () => {})).different).toBe(0);
  expect((await database.query("select source_digest from passport")).rows).toEqual([
    { source_digest: null },
    { source_digest: null },
  ]);
});

test("two processes that change the fields at once: both end, and values, answers and mark agree", async () => {
  const { database } = await testDatabase();
  await savePeople(database, [line(1), line(2)]);
  await Promise.all([carry(database, ["verified"]), carry(database, [])]);
  expect((await verifyDocuments(database, () => {})).different).toBe(0);
  const { carried, presentedTo } = await findCarriedState(database);
  expect(presentedTo).toBeNull();
  expect((await answersOf(database, 1)).includes('"verified"')).toBe(carried.has("verified"));
});
