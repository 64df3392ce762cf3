import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Person } from "@credence/contract/person.ts";
import { type Database, queryValue } from "#core/database/database.ts";
import { countFlagged, countWrongScores } from "#testing/scores.ts";
import {
  blockScores,
  refuseOverload,
  runCredence,
  type Started,
  startCredence,
  startServer,
  waitFor,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";
import { writePeople } from "./write-people.ts";

const WORKERS = 4;
/** Blocking a person blocks at most this many people. */
const BATCH_PEOPLE = 500;
const WATCHED = 50;
/** Added to every overall score, so that a recalculation changes all of them. */
const SCORE_OFFSET = 1_000;

/**
 * All people are recalculated by four workers that are killed and replaced in turn. Meanwhile V1 shows
 * the old score, then `calculating_score`, then the new score, and nothing else. The result is that of
 * one worker. Measures how fast these numbers of undisturbed workers are.
 */
export function proveRecalculation(people: number, { kills = 10, measured = [1, WORKERS] } = {}) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const file = join(folder, "wrong-scores.ndjson");
      await writePeople(file, people, 4, withWrongScore);
      await runCredence(["import", file], { DATABASE_URL: url });
      const killed = await recalculateWithKills(url, database, people, kills);
      const disturbed = await digestRecalculated(database);
      const people_per_second: Record<string, number> = {};
      for (const workers of measured) {
        await makeScoresWrong(database);
        const seconds = await recalculateAll(url, database, workers);
        assert.deepEqual(disturbed, await digestRecalculated(database), `with ${workers} workers`);
        people_per_second[`workers_${workers}`] = Math.round(people / seconds);
      }
      return { people, ...killed, people_per_second };
    }),
  );
}

function withWrongScore({ passport, credentials, ...rest }: Person): Person {
  const sum = passport.activity_score + passport.identity_score + passport.skills_score;
  return { ...rest, passport: { ...passport, score: sum + SCORE_OFFSET }, credentials };
}

async function recalculateWithKills(url: string, database: Database, people: number, kills: number) {
  const server = await startServer(url);
  const start = () => startCredence(["work"], { DATABASE_URL: url, STANDING_MAX_AGE: "60m" });
  try {
    const watch = await watchPeople(server.address, database, people);
    await runCredence(["passport", "recalculate", "--all"], { DATABASE_URL: url });
    // One person is blocked until the last kill, so that the work cannot end earlier.
    const block = await blockScores(database, people);
    let workers = Array.from({ length: WORKERS }, start);
    const people_done_at_kills: number[] = [];
    const killing = (async () => {
      for (let kill = 0; kill < kills; kill += 1) {
        await waitForDone(database, ((people - BATCH_PEOPLE) * kill) / kills);
        people_done_at_kills.push(await countDone(database));
        workers = await replaceWorker(workers, Math.floor(Math.random() * WORKERS), start);
      }
      await watch.sawCalculating;
      await block.release();
      await waitForDone(database, people);
    })().finally(watch.end);
    const [, watched] = await Promise.all([killing, watch.ended]);
    for (const worker of workers) worker.process.kill("SIGTERM");
    // Null: the newest worker may not have installed its signal handler yet.
    for (const { ended } of workers) assert.ok([0, null].includes((await ended).code));
    return { kills, people_done_at_kills, watched };
  } finally {
    await server.stop();
  }
}

async function replaceWorker(workers: readonly Started[], at: number, start: () => Started): Promise<Started[]> {
  const killed = workers[at] as Started;
  killed.process.kill("SIGKILL");
  await killed.ended;
  return workers.with(at, start());
}

const waitForDone = (database: Database, people: number): Promise<void> =>
  waitFor(
    `${people} recalculated people`,
    () => countDone(database),
    (done) => done >= people,
  );

/** Every score changes once, so each person has one record. */
const countDone = (database: Database): Promise<number> =>
  queryValue(database, "select count(*)::int from score_change");

type Shown = { score: number; calculating: boolean };
const STATES = ["old", "being calculated", "new"] as const;

/** Reads some passports again and again until `end`, and then once more. */
async function watchPeople(address: string, database: Database, people: number) {
  const { rows } = await database.query<{ passport_id: number }>(
    "select passport_id from passport_document where passport_id % $1 = 0 order by 1",
    [Math.max(1, Math.floor(people / WATCHED))],
  );
  const ids = rows.map(({ passport_id }) => passport_id);
  const read = async (id: number): Promise<Shown> => {
    const response = await fetch(`${address}/api/v1/passports/${id}`);
    refuseOverload(response.status, response.url);
    assert.equal(response.status, 200);
    const { passport } = (await response.json()) as { passport: { score: number; calculating_score: boolean } };
    return { score: passport.score, calculating: passport.calculating_score };
  };
  const before = new Map<number, number>();
  for (const id of ids) before.set(id, (await read(id)).score);
  const counts = { old: 0, "being calculated": 0, new: 0 };
  const states = new Map<number, number>();
  const { promise: sawCalculating, resolve } = Promise.withResolvers<void>();
  const readAll = async () => {
    for (const id of ids) {
      const { score, calculating } = await read(id);
      const first = before.get(id) as number;
      const isNew = !calculating && Math.abs(score - (first - SCORE_OFFSET)) < 1e-6;
      assert.ok(score === first || isNew, `passport ${id}`);
      const state = score === first ? Number(calculating) : 2;
      assert.ok(state >= (states.get(id) ?? 0), `passport ${id} went back to an earlier state`);
      states.set(id, state);
      counts[STATES[state] as keyof typeof counts] += 1;
      if (state === 1) resolve();
      await setTimeout(5);
    }
  };
  await readAll();
  let isOver = false;
  const ended = (async () => {
    while (!isOver) await readAll();
    await readAll();
    assert.ok([...states.values()].every((state) => state === 2));
    assert.ok(STATES.every((state) => counts[state] > 0));
    return { people: ids.length, ...counts };
  })();
  const end = () => {
    isOver = true;
  };
  return { sawCalculating: Promise.race([sawCalculating, ended]), end, ended };
}

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
  const isDone = "select not exists (select from recalculation_due) and not exists (select from recalculation_of_all)";
  while (!(await queryValue<boolean>(database, isDone))) await setTimeout(50);
  const seconds = (performance.now() - started) / 1_000;
  for (const { ended } of working) {
    const { code, stderr } = await ended;
    assert.equal(code, 0, stderr);
  }
  return seconds;
}

/** All results except timestamps. Also checks that they are right. */
async function digestRecalculated(database: Database): Promise<Record<string, unknown>> {
  assert.equal(await countFlagged(database), 0);
  assert.equal(await countWrongScores(database), 0);
  const { rows } = await database.query<Record<string, unknown>>(
    `select
       (select sum(hashtextextended((passport_id, activity_score, identity_score, skills_score, score, calculating_score)::text, 0))
        from passport) as passports,
       (select sum(hashtextextended(passport_id || regexp_replace(body, '"last_calculated_at":"[^"]*"', '') || tail, 0))
        from passport_document) as documents,
       (select count(*) from score_change) as changes,
       (select count(distinct passport_id) from score_change) as people_changed,
       (select sum(hashtextextended((to_jsonb(score_change) - 'changed_at')::text, 0)) from score_change) as history,
       (select count(*) from recalculation_due) as due,
       (select count(*) from recalculation_of_all) as unfinished,
       (select count(*) from recalculation_set_aside) as set_aside`,
  );
  return rows[0] ?? {};
}
