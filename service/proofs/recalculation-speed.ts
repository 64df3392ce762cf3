import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Database } from "#core/database/database.ts";
import { countFlagged, countWrongScores } from "#testing/scores.ts";
import {
  blockScores,
  refuseOverload,
  runCredence,
  startCredence,
  startServer,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";
import { SCORE_OFFSET, writeWrongScores } from "./wrong-scores.ts";

/**
 * Measures how fast one worker and four workers recalculate all people. Proves that V1 shows the
 * old score, then `calculating_score`, then the new score, and nothing else.
 */
export function proveRecalculationSpeed(people: number, rounds = 1) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      await runCredence(["import", await writeWrongScores(folder, people)], { DATABASE_URL: url });
      const watched = await watchRecalculation(url, database, people);
      assert.equal(await countWrongScores(database), 0);
      assert.equal(await countFlagged(database), 0);
      const seconds = { 1: [] as number[], 4: [] as number[] };
      for (let round = 0; round < rounds; round += 1) {
        for (const workers of [1, 4] as const) {
          await makeScoresWrong(database);
          seconds[workers].push(await recalculateAll(url, database, workers));
          assert.equal(await countWrongScores(database), 0);
          assert.equal(await countFlagged(database), 0);
        }
      }
      const medians = { 1: median(seconds[1]), 4: median(seconds[4]) };
      return {
        people,
        one_worker: { seconds: seconds[1], people_per_second: Math.round(people / medians[1]) },
        four_workers: { seconds: seconds[4], people_per_second: Math.round(people / medians[4]) },
        speed_up: Math.round((100 * medians[1]) / medians[4]) / 100,
        watched,
      };
    }),
  );
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** Makes every overall score wrong again and deletes the history of the last recalculation. */
async function makeScoresWrong(database: Database): Promise<void> {
  await database.query("update passport set score = score + $1", [SCORE_OFFSET]);
  await database.query("truncate score_change");
  await database.query("vacuum analyze");
  await database.query("checkpoint");
}

/** Returns the seconds without the refresh of the standing. */
async function recalculateAll(url: string, database: Database, workers: number): Promise<number> {
  await runCredence(["passport", "recalculate", "--all"], { DATABASE_URL: url });
  const started = performance.now();
  const working = Array.from({ length: workers }, () => startCredence(["work", "--until-done"], { DATABASE_URL: url }));
  while (!(await isDone(database))) await setTimeout(50);
  const seconds = (performance.now() - started) / 1_000;
  for (const { ended } of working) {
    const { code, stderr } = await ended;
    assert.equal(code, 0, stderr);
  }
  return seconds;
}

async function isDone(database: Database): Promise<boolean> {
  const { rows } = await database.query<{ done: boolean }>(
    "select not exists (select from recalculation_due) and not exists (select from recalculation_of_all) as done",
  );
  return rows[0]?.done ?? false;
}

type Shown = { score: number; calculating: boolean };
const STATES = ["old", "being calculated", "new"] as const;

/**
 * Reads some passports again and again while four workers recalculate all people. One person is
 * blocked until `calculating_score` has been seen.
 */
async function watchRecalculation(url: string, database: Database, people: number) {
  const ids = (
    await database.query<{ passport_id: number }>(
      "select passport_id from passport_document where passport_id % $1 = 0 order by 1",
      [Math.max(1, Math.floor(people / 50))],
    )
  ).rows.map((row) => row.passport_id);
  const server = await startServer(url);
  try {
    const read = async (id: number): Promise<Shown> => {
      const response = await fetch(`${server.address}/api/v1/passports/${id}`);
      refuseOverload(response.status, response.url);
      assert.equal(response.status, 200);
      const { passport } = (await response.json()) as { passport: { score: number; calculating_score: boolean } };
      return { score: passport.score, calculating: passport.calculating_score };
    };
    const before = new Map<number, number>();
    for (const id of ids) before.set(id, (await read(id)).score);
    const counts = { old: 0, "being calculated": 0, new: 0 };
    const states = new Map<number, number>();
    const readAll = async () => {
      for (const id of ids) {
        const { score, calculating } = await read(id);
        const old = score === before.get(id);
        assert.ok(old || (!calculating && isAbout(score, (before.get(id) as number) - SCORE_OFFSET)), `passport ${id}`);
        const state = old ? Number(calculating) : 2;
        assert.ok(state >= (states.get(id) ?? 0), `passport ${id} went back to an earlier state`);
        states.set(id, state);
        counts[STATES[state] as keyof typeof counts] += 1;
        await setTimeout(5);
      }
    };
    await readAll();
    const block = await blockScores(database, ids[0] as number);
    let done = false;
    const recalculating = recalculateAll(url, database, 4).finally(() => {
      done = true;
    });
    const reading = (async () => {
      let blocked = true;
      while (!done) {
        await readAll();
        if (blocked && counts["being calculated"] > 0) {
          await block.release();
          blocked = false;
        }
      }
    })();
    await Promise.all([recalculating, reading]);
    await readAll();
    assert.ok([...states.values()].every((state) => state === 2));
    assert.ok(STATES.every((state) => counts[state] > 0));
    return { people: ids.length, ...counts };
  } finally {
    await server.stop();
  }
}

const isAbout = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6;
