import assert from "node:assert/strict";
import { countFlagged, countWrongScores } from "#testing/scores.ts";
import { runCredence, startCredence, withProofDatabase, withProofFolder } from "./harness.ts";
import { writeWrongScores } from "./wrong-scores.ts";

const ONE_IN = 100;

/** People whose recalculation fails are set aside and can be recalculated later. */
export function provePoisonedPeople(people: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const poisoned = Math.floor(people / ONE_IN);
      await runCredence(["import", await writeWrongScores(folder, people, ONE_IN)], { DATABASE_URL: url });
      await runCredence(["passport", "recalculate", "--all"], { DATABASE_URL: url });
      const run = await startCredence(["work", "--until-done", "--json"], { DATABASE_URL: url }).ended;
      assert.equal(run.code, 3, run.stderr);
      const worked = JSON.parse(run.stdout);
      assert.equal(worked.people, people);
      assert.equal(worked.set_aside, poisoned);
      assert.equal(await countFlagged(database), 0);
      assert.equal(await countWrongScores(database), poisoned);

      const { stdout } = await runCredence(["passport", "due", "--json"], { DATABASE_URL: url });
      const { set_aside_people } = JSON.parse(stdout) as { set_aside_people: { reason: string }[] };
      assert.equal(set_aside_people.length, poisoned);
      const reasons = new Set(set_aside_people.map(({ reason }) => reason.replace(/\d{10,}(\.\d+)?/, "N")));
      assert.deepEqual([...reasons], ["The sum of the credentials is N points; the maximum of V1 is 10^15."]);

      // Fix the credentials whose scores are too high.
      await database.query("update credential set score = 1 where score = 1e15");
      await runCredence(["documents", "rebuild"], { DATABASE_URL: url });
      await runCredence(["passport", "recalculate", "--set-aside"], { DATABASE_URL: url });
      const again = await runCredence(["work", "--until-done", "--json"], { DATABASE_URL: url });
      assert.equal(JSON.parse(again.stdout).people, poisoned);
      assert.equal(await countWrongScores(database), 0);
      return { people, poisoned, seconds: run.seconds, people_per_second: Math.round(people / run.seconds) };
    }),
  );
}
