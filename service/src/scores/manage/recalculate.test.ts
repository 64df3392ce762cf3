import type { Passport } from "@credence/contract/passport.ts";
import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test } from "vitest";
import { type Database, inTransaction } from "#core/database/database.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { findPeopleChange } from "#list/manage/change-counter.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { findBacklog } from "#scores/backlog.ts";
import { testDatabase } from "#testing/database.ts";
import { importLines } from "#testing/import-lines.ts";
import { findPassportById } from "#testing/look-up.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";
import { countFlagged, countWrongScores } from "#testing/scores.ts";
import { queueAll, queueNextOfAll, queuePeople, queueSetAside } from "./queue-recalculation.ts";
import { addRecalculated, nothingRecalculated, recalculateDue } from "./recalculate.ts";
import { claimDue, listSetAsideAfter } from "./recalculation-queue.ts";

const GENERATED = scaled(10_000, 500);

async function recalculateAll(database: Database) {
  let done = nothingRecalculated();
  for (;;) {
    const batch = await recalculateDue(database, 500);
    if (batch.people === 0) return done;
    done = addRecalculated(done, batch);
  }
}

const readPassport = async (database: Database, id: number): Promise<Passport> =>
  JSON.parse((await findPassportById(database, id))?.body ?? "null");

const expectVerified = async (database: Database) =>
  expect((await verifyDocuments(database, () => {})).differences).toEqual([]);

describe("recalculation", () => {
  test(`gives ${GENERATED} generated people without scores the sums that PostgreSQL computes in decimals`, async () => {
    const { database } = await testDatabase();
    const noScores = { activity_score: 0, identity_score: 0, skills_score: 0, score: null };
    const people = [...inventPopulation(11, GENERATED)];
    for (let index = 0; index < people.length; index += 2_000) {
      const batch = people.slice(index, index + 2_000);
      await savePeople(
        database,
        batch.map((incoming): Person => ({ ...incoming, passport: { ...incoming.passport, ...noScores } })),
      );
    }
    expect(await countWrongScores(database)).toBe(GENERATED);
    await queueAll(database);
    let done = 0;
    while (await queueNextOfAll(database)) done += (await recalculateDue(database, 700)).people;
    expect(done + (await recalculateAll(database)).people).toBe(GENERATED);
    expect(await countWrongScores(database)).toBe(0);
    expect(await countFlagged(database)).toBe(0);
    // The generator computes its scores independently. It leaves some people without a score.
    const scoredPeople = people.filter(({ passport }) => passport.score !== null).slice(0, 2_000);
    for (const { passport, operator } of scoredPeople) {
      if (operator?.hidden) continue;
      const { activity_score, identity_score, skills_score, score } = passport;
      expect(await readPassport(database, passport.passport_id)).toMatchObject({
        activity_score,
        identity_score,
        skills_score,
        score,
      });
    }
    await expectVerified(database);
  });

  test("shows the old score with calculating_score while a person is due", async () => {
    const { database } = await testDatabase();
    const credentials = [credential("a", { score: 8 }), credential("b", { category: "Identity", score: 1 })];
    await savePeople(database, [person(1, { score: 6 }, { credentials }), person(2)]);
    const before = await readPassport(database, 2);
    expect(await queuePeople(database, [1, 3])).toBe(1);
    expect(await queuePeople(database, [1])).toBe(0);
    expect(await readPassport(database, 1)).toMatchObject({ score: 6, calculating_score: true });
    expect(await readPassport(database, 2)).toEqual(before);
    await expectVerified(database);
    // An epoch shows calculating_score as of its snapshot.
    await refreshStanding(database);
    const { rows } = await database.query("select body from standing_2 where passport_id = 1");
    expect(JSON.parse(rows[0].body)).toMatchObject({ calculating_score: true });

    const began = Date.now();
    expect(await recalculateAll(database)).toEqual({ people: 1, changed: 1, set_aside: 0, uncounted: [] });
    const after = await readPassport(database, 1);
    expect(after).toMatchObject({
      score: 9,
      activity_score: 0,
      identity_score: 1,
      skills_score: 8,
      calculating_score: false,
    });
    expect(Date.parse(after.last_calculated_at ?? "")).toBeGreaterThanOrEqual(began);
    await expectVerified(database);
  });

  test("an imported calculating_score queues no recalculation, and a recalculation clears it", async () => {
    const { database } = await testDatabase();
    await importLines(database, [person(1, { calculating_score: true })]);
    expect(await readPassport(database, 1)).toMatchObject({ calculating_score: true });
    expect((await findBacklog(database)).due).toBe(0);
    await queuePeople(database, [1]);
    await recalculateAll(database);
    expect(await readPassport(database, 1)).toMatchObject({ calculating_score: false });
    await expectVerified(database);
  });

  test("a due person stays due, with calculating_score, when imported, hidden, merged or unhidden", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1), person(2, { main_wallet: wallet(2) })]);
    await queuePeople(database, [1, 2]);
    await importLines(database, [person(1, { display_name: "Renamed", score: 50 })]);
    expect(await readPassport(database, 1)).toMatchObject({ score: 50, calculating_score: true });
    await importLines(database, [person(1, { display_name: "Renamed", score: 50 })]);
    await expectVerified(database);
    await changePerson(database, { action: "hide", passportId: 1 });
    await changePerson(database, { action: "merge", passportId: 2, into: 1 });
    await expectVerified(database);
    await changePerson(database, { action: "unhide", passportId: 1 });
    expect(await readPassport(database, 1)).toMatchObject({ calculating_score: true, verified_wallets: [wallet(2)] });
    expect(await recalculateAll(database)).toMatchObject({ people: 2 });
    expect(await readPassport(database, 1)).toMatchObject({
      score: 0,
      calculating_score: false,
      verified_wallets: [wallet(2)],
    });
    await expectVerified(database);
  });

  test("sets aside people whose scores cannot be calculated, with the reason, and can retry them", async () => {
    const { database } = await testDatabase();
    const huge = { score: 10 ** 15, max_score: 10 ** 15 };
    const poisoned = { credentials: [credential("a", huge), credential("b", huge)] };
    await savePeople(database, [person(1), person(2, { score: 7 }, poisoned), person(3)]);
    await queuePeople(database, [1, 2, 3]);
    expect(await recalculateAll(database)).toMatchObject({ people: 3, set_aside: 1 });
    expect(await listSetAsideAfter(database, 0, 10)).toMatchObject([
      { passport_id: 2, reason: expect.stringContaining("the maximum of V1 is 10^15") },
    ]);
    expect(await readPassport(database, 2)).toMatchObject({ score: 7, calculating_score: false });
    await expectVerified(database);

    await savePeople(database, [person(2, { score: 7 }, { credentials: [credential("a")] })]);
    expect(await queueSetAside(database)).toBe(1);
    expect(await findBacklog(database)).toMatchObject({ due: 1, set_aside: 0 });
    expect(await recalculateAll(database)).toMatchObject({ people: 1, set_aside: 0 });
    expect(await readPassport(database, 2)).toMatchObject({ score: 5 });
  });

  test("sets aside only the person of a batch whose row the database rejects", async () => {
    const { database } = await testDatabase();
    const people = Array.from({ length: 20 }, (_, index) => person(index + 1, {}, { credentials: [credential("a")] }));
    await savePeople(database, people);
    await database.query(
      "alter table passport add constraint unlucky check (passport_id <> 13 or score <> 5) not valid",
    );
    await queuePeople(
      database,
      people.map(({ passport }) => passport.passport_id),
    );
    expect(await recalculateAll(database)).toMatchObject({ people: 20, changed: 19, set_aside: 1 });
    expect(await listSetAsideAfter(database, 0, 10)).toMatchObject([
      { passport_id: 13, reason: expect.stringContaining("unlucky") },
    ]);
    await expectVerified(database);
  });

  test("recalculates people with the largest possible import lines in the same batch as others", async () => {
    const { database } = await testDatabase();
    const bio = '"'.repeat(500_000);
    const largePeople = Array.from({ length: 10 }, (_, index): Person => {
      const { passport } = person(index + 1);
      return { passport: { ...passport, passport_profile: { ...passport.passport_profile, bio } }, credentials: [] };
    });
    for (const large of largePeople) await savePeople(database, [large]);
    await savePeople(database, [person(11)]);
    await queueAll(database);
    while (await queueNextOfAll(database));
    expect(await recalculateDue(database, 500)).toMatchObject({ people: 11, changed: 11, set_aside: 0 });
  });

  test("reports categories that do not count towards a score", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1, {}, { credentials: [credential("a", { category: "Karma" })] })]);
    await queuePeople(database, [1]);
    expect(await recalculateAll(database)).toMatchObject({ uncounted: ["Karma"] });
    expect(await readPassport(database, 1)).toMatchObject({ score: 0 });
  });

  test("counts as a change of people, so that the list is built again", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1)]);
    const changes = () => inTransaction(database, findPeopleChange);
    const before = await changes();
    await recalculateDue(database, 10);
    expect(await changes()).toBe(before);
    await queuePeople(database, [1]);
    const queued = await changes();
    await recalculateDue(database, 10);
    expect(await changes()).toBe(queued + 1);
  });

  test("a worker does not wait for the people of another", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1), person(2), person(3)]);
    await queuePeople(database, [1, 2, 3]);
    const other = await inTransaction(database, async (connection) => {
      const claimed = await claimDue(connection, 2);
      expect(claimed).toHaveLength(2);
      return inTransaction(database, async (second) => {
        await second.query("set local lock_timeout = '10s'");
        return [...claimed, ...(await claimDue(second, 2))];
      });
    });
    expect(other.sort()).toEqual([1, 2, 3]);
  });

  test("recalculates each person once with several concurrent workers", async () => {
    const { database } = await testDatabase();
    const people = Array.from({ length: 300 }, (_, index) => person(index + 1, {}, { credentials: [credential("a")] }));
    await savePeople(database, people);
    await queueAll(database);
    expect(await queueAll(database)).toBe(false);
    const worker = async () => {
      let done = 0;
      for (;;) {
        const queued = await queueNextOfAll(database);
        const { people: recalculated } = await recalculateDue(database, 7);
        if (!queued && recalculated === 0 && (await findBacklog(database)).due === 0) return done;
        done += recalculated;
      }
    };
    const done = await Promise.all([worker(), worker(), worker(), worker()]);
    expect(done.reduce((sum, count) => sum + count, 0)).toBe(300);
    const { rows } = await database.query("select count(*), count(distinct passport_id) as people from score_change");
    expect(rows[0]).toEqual({ count: 300, people: 300 });
    await expectVerified(database);
  });
});
