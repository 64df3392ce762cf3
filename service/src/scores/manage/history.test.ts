import type { Credential } from "@credence/contract/credential.ts";
import { describe, expect, test } from "vitest";
import type { Database } from "#core/database/database.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { importLines } from "#testing/import-lines.ts";
import { credential, person } from "#testing/people.ts";
import { explainScores } from "./explain-person.ts";
import { queuePeople } from "./queue-recalculation.ts";
import { recalculateDue } from "./recalculate.ts";
import { deleteOldHistory, HISTORY_DAYS } from "./record-score-changes.ts";
import { deleteOldScoreChanges } from "./score-changes.ts";

const scoredCredential = (id: string, score: number, rest: Partial<Credential> = {}) =>
  credential(id, { score, max_score: 100, ...rest });

/** Twenty successive states of one person's credentials, each with its score. */
const SEQUENCE: { credentials: Credential[]; score: number }[] = [
  { credentials: [scoredCredential("a", 10)], score: 10 },
  { credentials: [scoredCredential("a", 12.5)], score: 12.5 },
  { credentials: [scoredCredential("a", 12.5), scoredCredential("b", 0.1, { category: "Identity" })], score: 12.6 },
  { credentials: [scoredCredential("a", 12.5), scoredCredential("b", 0.3, { category: "Identity" })], score: 12.8 },
  { credentials: [scoredCredential("b", 0.3, { category: "Identity" })], score: 0.3 },
  { credentials: [], score: 0 },
  { credentials: [scoredCredential("c", 5, { category: "Activity" })], score: 5 },
  { credentials: [scoredCredential("c", 5)], score: 5 },
  { credentials: [scoredCredential("c", 500)], score: 100 },
  { credentials: [scoredCredential("c", 600)], score: 100 },
  { credentials: [scoredCredential("c", 600, { max_score: 200 })], score: 200 },
  { credentials: [scoredCredential("c", 1), scoredCredential("d", 2), scoredCredential("e", 3)], score: 6 },
  { credentials: [scoredCredential("d", 2), scoredCredential("e", 3), scoredCredential("f", 4)], score: 9 },
  { credentials: [scoredCredential("d", 3), scoredCredential("e", 2), scoredCredential("f", 4)], score: 9 },
  { credentials: [scoredCredential("d", 3), scoredCredential("g", 9, { category: "Karma" })], score: 3 },
  { credentials: [scoredCredential("d", 3), scoredCredential("g", 9, { category: "Identity" })], score: 12 },
  {
    credentials: [scoredCredential("d", 3.000001), scoredCredential("g", 9, { category: "Identity" })],
    score: 12.000001,
  },
  { credentials: [scoredCredential("h", 1), scoredCredential("i", 1), scoredCredential("j", 1)], score: 3 },
  { credentials: [scoredCredential("h", 2), scoredCredential("i", 0), scoredCredential("j", 1)], score: 3 },
  { credentials: [scoredCredential("h", 0), scoredCredential("i", 0), scoredCredential("j", 0)], score: 0 },
];

async function recalculate(database: Database): Promise<void> {
  await queuePeople(database, [1]);
  await recalculateDue(database, 10);
}

describe("score history", () => {
  test("explains each of twenty changes by its credentials, and the changes add up to the last score", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1, { score: 0, activity_score: 0, identity_score: 0, skills_score: 0 })]);
    for (const { credentials } of SEQUENCE) {
      await importLines(database, [person(1, { score: 77 }, { credentials })], { recalculate: true });
      await recalculateDue(database, 10);
    }
    const changes = (await explainScores(database, 1)).reverse();
    const expected = SEQUENCE.filter(({ score }, index) => score !== (SEQUENCE[index - 1]?.score ?? 0));
    const scoreChanges = changes.filter(({ by }) => by !== 0);
    expect(scoreChanges.map(({ to_score }) => to_score)).toEqual(expected.map(({ score }) => score));
    for (const [index, change] of changes.entries()) {
      expect(change).toMatchObject({ cause: "recalculation", waiting: false, unexplained: 0 });
      expect(change.from_score).toBe(changes[index - 1]?.to_score ?? 0);
      expect(change.to_activity_score + change.to_identity_score + change.to_skills_score).toBeCloseTo(
        change.to_score as number,
        9,
      );
    }
    // A change of category scores is recorded even if the overall score stays the same.
    expect(
      changes
        .filter(({ by }) => by === 0)
        .map(({ from_activity_score, to_skills_score }) => [from_activity_score, to_skills_score]),
    ).toEqual([[5, 5]]);
    const sum = sumChanges(changes.flatMap((change) => change.credentials));
    expect(sum).toBeCloseTo(SEQUENCE.at(-1)?.score ?? Number.NaN, 9);
  });

  const sumChanges = (credentials: { category: string; from: number | null; to: number | null }[]): number =>
    credentials
      .filter(({ category }) => category !== "Karma")
      .reduce((total, { from, to }) => total + (to ?? 0) - (from ?? 0), 0);

  test("the recalculation records credential changes of imports that left the score unchanged", async () => {
    const { database } = await testDatabase();
    await importLines(database, [person(1, { score: 10 }, { credentials: [scoredCredential("a", 10)] })]);
    expect(await explainScores(database, 1)).toEqual([]);
    await importLines(database, [person(1, { score: 10 }, { credentials: [scoredCredential("a", 4)] })]);
    await importLines(database, [
      person(1, { score: 10 }, { credentials: [scoredCredential("a", 4), scoredCredential("b", 1)] }),
    ]);
    expect(await explainScores(database, 1)).toMatchObject([
      {
        waiting: true,
        by: 0,
        credentials: [
          { id: "a", from: 10, to: 4 },
          { id: "b", from: null, to: 1 },
        ],
      },
    ]);
    await recalculate(database);
    expect(await explainScores(database, 1)).toMatchObject([
      {
        waiting: false,
        cause: "recalculation",
        from_score: 10,
        to_score: 5,
        unexplained: 0,
        credentials: [{ id: "a" }, { id: "b" }],
      },
    ]);
    await recalculate(database);
    expect(await explainScores(database, 1)).toHaveLength(1);
  });

  test("an import that changes a score is recorded, with the part that its credentials do not explain", async () => {
    const { database } = await testDatabase();
    await importLines(database, [person(1, { score: 10 }, { credentials: [scoredCredential("a", 10)] })]);
    await importLines(database, [person(1, { score: 25 }, { credentials: [scoredCredential("a", 12)] })]);
    expect(await explainScores(database, 1)).toMatchObject([
      {
        cause: "import",
        from_score: 10,
        to_score: 25,
        by: 15,
        unexplained: 13,
        credentials: [{ id: "a", from: 10, to: 12 }],
      },
    ]);
    // The stored state is equal: no further record.
    await importLines(database, [person(1, { score: 25 }, { credentials: [scoredCredential("a", 12)] })]);
    expect(await explainScores(database, 1)).toHaveLength(1);
  });

  test("with --recalculate, calculating_score of an incoming line is not a change", async () => {
    const { database } = await testDatabase();
    const lines = [person(1, { calculating_score: true }, { credentials: [scoredCredential("a", 10)] })];
    await importLines(database, lines, { recalculate: true });
    await recalculateDue(database, 10);
    await database.query("update passport set source_digest = null");
    expect(await importLines(database, lines, { recalculate: true })).toMatchObject({ unchanged: 1 });
  });

  test("records a change for each person of several batches", async () => {
    const { database } = await testDatabase();
    const people = (score: number) =>
      Array.from({ length: 230 }, (_, index) =>
        person(index + 1, { score }, { credentials: [scoredCredential("a\tb\\n", score)] }),
      );
    await importLines(database, people(1));
    await importLines(database, people(2));
    for (const id of [1, 100, 101, 230]) {
      expect(await explainScores(database, id)).toMatchObject([
        { by: 1, unexplained: 0, credentials: [{ id: "a\tb\\n", from: 1, to: 2 }] },
      ]);
    }
  });

  test("with --recalculate, incoming scores of stored people are ignored, and equal lines change nothing", async () => {
    const { database } = await testDatabase();
    const lines = [person(1, { score: 77 }, { credentials: [scoredCredential("a", 10)] })];
    expect(await importLines(database, lines, { recalculate: true })).toMatchObject({ added: 1 });
    await recalculateDue(database, 10);
    expect(await explainScores(database, 1)).toMatchObject([{ from_score: 77, to_score: 10, unexplained: -67 }]);
    expect(await importLines(database, lines, { recalculate: true })).toMatchObject({ changed: 0, unchanged: 1 });
    expect(await importLines(database, lines, { recalculate: true })).toMatchObject({ changed: 0, unchanged: 1 });
    expect((await database.query("select from recalculation_due")).rowCount).toBe(0);
    expect(await explainScores(database, 1)).toHaveLength(1);
    // Without --recalculate the incoming scores are stored.
    expect(await importLines(database, lines)).toMatchObject({ changed: 1 });
    expect(await explainScores(database, 1)).toMatchObject([{ cause: "import", to_score: 77 }, { to_score: 10 }]);
  });

  test("deletes score changes older than the retention period", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1, { score: 1 }, { credentials: [scoredCredential("a", 10)] })]);
    await recalculate(database);
    await database.query("update score_change set changed_at = now() - make_interval(days => $1)", [HISTORY_DAYS - 1]);
    await deleteOldHistory(database);
    expect(await explainScores(database, 1)).toHaveLength(1);
    expect(await deleteOldScoreChanges(database, HISTORY_DAYS - 2, 10)).toBe(1);
    expect(await explainScores(database, 1)).toEqual([]);
  });
});
