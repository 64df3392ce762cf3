import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Database } from "#store/engine/database.ts";
import { countFlagged, countWrongScores } from "#testing/scores.ts";
import { holdUpScores, runCredence, startCredence, startServer, withProofDatabase, withProofFolder } from "./ground.ts";
import { TOO_HIGH, writeUneven } from "./uneven-people.ts";

/**
 * How fast everyone is recalculated by one worker and by four; and that V1 meanwhile shows the old score, then says that it is
 * being calculated, then shows the new one, and never anything else.
 */
export function proveRecalculationSpeed(people: number, rounds = 1) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      await runCredence(["import", await writeUneven(folder, people)], { DATABASE_URL: url });
      const watched = await watchRecalculation(url, database, people);
      const seconds: { one: number[]; four: number[] } = { one: [], four: [] };
      for (let round = 0; round < rounds; round += 1) {
        for (const [name, workers] of [
          ["one", 1],
          ["four", 4],
        ] as const) {
          await makeUneven(database);
          seconds[name].push(await recalculateAll(url, database, workers));
          assert.equal(await countWrongScores(database), 0);
          assert.equal(await countFlagged(database), 0);
        }
      }
      const [one, four] = [median(seconds.one), median(seconds.four)];
      return {
        people,
        one_worker: { seconds: seconds.one, people_a_second: Math.round(people / one) },
        four_workers: { seconds: seconds.four, people_a_second: Math.round(people / four) },
        four_to_one: Math.round((100 * one) / four) / 100,
        watched,
      };
    }),
  );
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;

/** Every overall score too high again, and no trace of the last recalculation. */
async function makeUneven(database: Database): Promise<void> {
  await database.query("update passport set score = score + $1", [TOO_HIGH]);
  await database.query("truncate score_change");
  await database.query("vacuum analyze");
  await database.query("checkpoint");
}

/** From the order to the last person done; what comes after, the building of the list, is not counted. */
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
 * Asks V1 for a few people again and again while four workers go through everyone. One of them is held up until they have been seen
 * being calculated.
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
    const ask = async (id: number): Promise<Shown> => {
      const response = await fetch(`${server.address}/api/v1/passports/${id}`);
      assert.equal(response.status, 200);
      const { passport } = (await response.json()) as { passport: { score: number; calculating_score: boolean } };
      return { score: passport.score, calculating: passport.calculating_score };
    };
    const before = new Map<number, number>();
    for (const id of ids) before.set(id, (await ask(id)).score);
    const counts = { old: 0, "being calculated": 0, new: 0 };
    const reached = new Map<number, number>();
    const look = async () => {
      for (const id of ids) {
        const { score, calculating } = await ask(id);
        const old = score === before.get(id);
        assert.ok(old || (!calculating && isAbout(score, (before.get(id) as number) - TOO_HIGH)), `passport ${id}`);
        const state = old ? Number(calculating) : 2;
        assert.ok(state >= (reached.get(id) ?? 0), `passport ${id} went back`);
        reached.set(id, state);
        counts[STATES[state] as keyof typeof counts] += 1;
        await setTimeout(5);
      }
    };
    await look();
    const hold = await holdUpScores(database, ids[0] as number);
    let going = true;
    const working = recalculateAll(url, database, 4).finally(() => {
      going = false;
    });
    const looking = (async () => {
      let held = true;
      while (going) {
        await look();
        if (held && counts["being calculated"] > 0) {
          await hold.release();
          held = false;
        }
      }
    })();
    await Promise.all([working, looking]);
    await look();
    assert.ok([...reached.values()].every((state) => state === 2));
    assert.ok(STATES.every((state) => counts[state] > 0));
    return { asked: ids.length, ...counts };
  } finally {
    await server.stop();
  }
}

const isAbout = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6;
