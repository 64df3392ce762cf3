import assert from "node:assert/strict";
import type { Database } from "#core/database/database.ts";
import { countFlagged, countWrongScores } from "#testing/scores.ts";
import {
  blockScores,
  runCredence,
  type Started,
  startCredence,
  waitFor,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";
import { writeWrongScores } from "./wrong-scores.ts";

const WORKERS = 4;
/** Blocking a person blocks at most this many people. */
const BATCH_PEOPLE = 500;

/** Four workers that are killed and replaced in turn have the same result as one worker. */
export function proveKilledWorkers(people: number, kills = 10) {
  return withProofFolder(async (folder) => {
    const file = await writeWrongScores(folder, people);
    const recalculated = (perform: (url: string, database: Database) => Promise<void>) =>
      withProofDatabase(async ({ url, database }) => {
        await runCredence(["import", file], { DATABASE_URL: url });
        await runCredence(["passport", "recalculate", "--all"], { DATABASE_URL: url });
        await perform(url, database);
        assert.equal(await countFlagged(database), 0);
        assert.equal(await countWrongScores(database), 0);
        return digestRecalculated(database);
      });
    const undisturbed = await recalculated(async (url) => {
      await runCredence(["work", "--until-done"], { DATABASE_URL: url });
    });
    const done: number[] = [];
    const disturbed = await recalculated(async (url, database) => {
      const start = () => startCredence(["work"], { DATABASE_URL: url, STANDING_MAX_AGE: "60m" });
      let workers = Array.from({ length: WORKERS }, start);
      // One person is blocked until the last kill, so that the work cannot end earlier.
      const block = await blockScores(database, people);
      for (let kill = 0; kill < kills; kill += 1) {
        await waitForDone(database, ((people - BATCH_PEOPLE) * kill) / kills);
        done.push(await countDone(database));
        workers = await replaceWorker(workers, Math.floor(Math.random() * WORKERS), start);
      }
      await block.release();
      await waitForDone(database, people);
      for (const worker of workers) worker.process.kill("SIGTERM");
      // Null: the newest worker may not have installed its signal handler yet.
      for (const { ended } of workers) assert.ok([0, null].includes((await ended).code));
    });
    assert.deepEqual(disturbed, undisturbed);
    return { people, kills, people_done_at_kills: done };
  });
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
async function countDone(database: Database): Promise<number> {
  const { rows } = await database.query<{ done: number }>("select count(*) as done from score_change");
  return rows[0]?.done ?? 0;
}

/** Returns digests of all results except timestamps. */
async function digestRecalculated(database: Database): Promise<Record<string, unknown>> {
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
