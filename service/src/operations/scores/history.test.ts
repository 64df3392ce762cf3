import type { Credential } from "@credence/contract/credential.ts";
import { describe, expect, test } from "vitest";
import { savePeople } from "#operations/write/save-people.ts";
import type { Database } from "#store/engine/database.ts";
import { deleteOldScoreChanges } from "#store/scores/score-changes.ts";
import { testDatabase } from "#testing/database.ts";
import { importLines } from "#testing/import-lines.ts";
import { credential, person } from "#testing/people.ts";
import { explainScores } from "./explain-person.ts";
import { queuePeople } from "./queue-recalculation.ts";
import { recalculateDue } from "./recalculate.ts";
import { deleteOldHistory, HISTORY_DAYS } from "./record-score-changes.ts";

const taken = (id: string, score: number, rest: Partial<Credential> = {}) =>
  credential(id, { score, max_score: 100, ...rest });

/** Twenty things that happen to one person's credentials, and the score that each leads to. */
const SEQUENCE: { credentials: Credential[]; score: number }[] = [
  { credentials: [taken("a", 10)], score: 10 },
  { credentials: [taken("a", 12.5)], score: 12.5 },
  { credentials: [taken("a", 12.5), taken("b", 0.1, { category: "Identity" })], score: 12.6 },
  { credentials: [taken("a", 12.5), taken("b", 0.3, { category: "Identity" })], score: 12.8 },
  { credentials: [taken("b", 0.3, { category: "Identity" })], score: 0.3 },
  { credentials: [], score: 0 },
  { credentials: [taken("c", 5, { category: "Activity" })], score: 5 },
  { credentials: [taken("c", 5)], score: 5 },
  { credentials: [taken("c", 500)], score: 100 },
  { credentials: [taken("c", 600)], score: 100 },
  { credentials: [taken("c", 600, { max_score: 200 })], score: 200 },
  { credentials: [taken("c", 1), taken("d", 2), taken("e", 3)], score: 6 },
  { credentials: [taken("d", 2), taken("e", 3), taken("f", 4)], score: 9 },
  { credentials: [taken("d", 3), taken("e", 2), taken("f", 4)], score: 9 },
  { credentials: [taken("d", 3), taken("g", 9, { category: "Karma" })], score: 3 },
  { credentials: [taken("d", 3), taken("g", 9, { category: "Identity" })], score: 12 },
  { credentials: [taken("d", 3.000001), taken("g", 9, { category: "Identity" })], score: 12.000001 },
  { credentials: [taken("h", 1), taken("i", 1), taken("j", 1)], score: 3 },
  { credentials: [taken("h", 2), taken("i", 0), taken("j", 1)], score: 3 },
  { credentials: [taken("h", 0), taken("i", 0), taken("j", 0)], score: 0 },
];

async function recalculate(database: Database): Promise<void> {
  await queuePeople(database, [1]);
  await recalculateDue(database, 10);
}

describe("the history of a score", () => {
  test("explains each of twenty changes by its credentials, and adds up", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1, { score: 0, activity_score: 0, identity_score: 0, skills_score: 0 })]);
    for (const { credentials } of SEQUENCE) {
      await importLines(database, [person(1, { score: 77 }, { credentials })], { recalculate: true });
      await recalculateDue(database, 10);
    }
    const changes = (await explainScores(database, 1)).reverse();
    const moved = SEQUENCE.filter(({ score }, at) => score !== (SEQUENCE[at - 1]?.score ?? 0));
    const told = changes.filter(({ by }) => by !== 0);
    expect(told.map(({ to_score }) => to_score)).toEqual(moved.map(({ score }) => score));
    for (const [at, change] of changes.entries()) {
      expect(change).toMatchObject({ cause: "recalculation", waiting: false, unexplained: 0 });
      expect(change.from_score).toBe(changes[at - 1]?.to_score ?? 0);
      expect(change.to_activity_score + change.to_identity_score + change.to_skills_score).toBeCloseTo(
        change.to_score as number,
        9,
      );
    }
    // Where the overall score stayed and its parts did not, that is told as well.
    expect(
      changes
        .filter(({ by }) => by === 0)
        .map(({ from_activity_score, to_skills_score }) => [from_activity_score, to_skills_score]),
    ).toEqual([[5, 5]]);
    const whole = explain(changes.flatMap((change) => change.credentials));
    expect(whole).toBeCloseTo(SEQUENCE.at(-1)?.score ?? Number.NaN, 9);
  });

  const explain = (credentials: { category: string; from: number | null; to: number | null }[]): number =>
    credentials
      .filter(({ category }) => category !== "Karma")
      .reduce((sum, { from, to }) => sum + (to ?? 0) - (from ?? 0), 0);

  test("an import that changes credentials and not the score waits; the recalculation tells of all of it", async () => {
    const { database } = await testDatabase();
    await importLines(database, [person(1, { score: 10 }, { credentials: [taken("a", 10)] })]);
    expect(await explainScores(database, 1)).toEqual([]);
    await importLines(database, [person(1, { score: 10 }, { credentials: [taken("a", 4)] })]);
    await importLines(database, [person(1, { score: 10 }, { credentials: [taken("a", 4), taken("b", 1)] })]);
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

  test("an import that changes a score leaves a record, with what its credentials do not explain", async () => {
    const { database } = await testDatabase();
    await importLines(database, [person(1, { score: 10 }, { credentials: [taken("a", 10)] })]);
    await importLines(database, [person(1, { score: 25 }, { credentials: [taken("a", 12)] })]);
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
    // Held as given: nothing more.
    await importLines(database, [person(1, { score: 25 }, { credentials: [taken("a", 12)] })]);
    expect(await explainScores(database, 1)).toHaveLength(1);
  });

  test("with --recalculate, a line that says it is being calculated is no change, time after time", async () => {
    const { database } = await testDatabase();
    const lines = [person(1, { calculating_score: true }, { credentials: [taken("a", 10)] })];
    await importLines(database, lines, { recalculate: true });
    await recalculateDue(database, 10);
    await database.query("update passport set source_digest = null");
    expect(await importLines(database, lines, { recalculate: true })).toMatchObject({ unchanged: 1 });
  });

  test("of more people than are looked at in one go is told for each", async () => {
    const { database } = await testDatabase();
    const people = (score: number) =>
      Array.from({ length: 230 }, (_, at) => person(at + 1, { score }, { credentials: [taken("a\tb\\n", score)] }));
    await importLines(database, people(1));
    await importLines(database, people(2));
    for (const id of [1, 100, 101, 230]) {
      expect(await explainScores(database, id)).toMatchObject([
        { by: 1, unexplained: 0, credentials: [{ id: "a\tb\\n", from: 1, to: 2 }] },
      ]);
    }
  });

  test("with --recalculate the scores of known people are not taken, and the same lines again change nothing", async () => {
    const { database } = await testDatabase();
    const lines = [person(1, { score: 77 }, { credentials: [taken("a", 10)] })];
    expect(await importLines(database, lines, { recalculate: true })).toMatchObject({ added: 1 });
    await recalculateDue(database, 10);
    expect(await explainScores(database, 1)).toMatchObject([{ from_score: 77, to_score: 10, unexplained: -67 }]);
    expect(await importLines(database, lines, { recalculate: true })).toMatchObject({ changed: 0, unchanged: 1 });
    expect(await importLines(database, lines, { recalculate: true })).toMatchObject({ changed: 0, unchanged: 1 });
    expect((await database.query("select from recalculation_due")).rowCount).toBe(0);
    expect(await explainScores(database, 1)).toHaveLength(1);
    // Without it, they are kept as they come.
    expect(await importLines(database, lines)).toMatchObject({ changed: 1 });
    expect(await explainScores(database, 1)).toMatchObject([{ cause: "import", to_score: 77 }, { to_score: 10 }]);
  });

  test("is forgotten after a stated time", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1, { score: 1 }, { credentials: [taken("a", 10)] })]);
    await recalculate(database);
    await database.query("update score_change set changed_at = now() - make_interval(days => $1)", [HISTORY_DAYS - 1]);
    await deleteOldHistory(database);
    expect(await explainScores(database, 1)).toHaveLength(1);
    expect(await deleteOldScoreChanges(database, HISTORY_DAYS - 2, 10)).toBe(1);
    expect(await explainScores(database, 1)).toEqual([]);
  });
});
