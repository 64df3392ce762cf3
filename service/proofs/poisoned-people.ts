import assert from "node:assert/strict";
import { countFlagged, countWrongScores } from "#testing/scores.ts";
import { runCredence, startCredence, withProofDatabase, withProofFolder } from "./ground.ts";
import { writeUneven } from "./uneven-people.ts";

const ONE_IN = 100;

/** People whose scores cannot be worked out are set aside with the reason, hold up nobody, and are done once they are mended. */
export function provePoisonedPeople(people: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const poisoned = Math.floor(people / ONE_IN);
      await runCredence(["import", await writeUneven(folder, people, ONE_IN)], { DATABASE_URL: url });
      await runCredence(["passport", "recalculate", "--all"], { DATABASE_URL: url });
      const run = await startCredence(["work", "--until-done", "--json"], { DATABASE_URL: url }).ended;
      assert.equal(run.code, 3, run.stderr);
      const worked = JSON.parse(run.stdout);
      assert.equal(worked.people, people);
      assert.equal(worked.set_aside, poisoned);
      assert.equal(await countFlagged(database), 0);
      assert.equal(await countWrongScores(database), poisoned);

      const { stdout } = await runCredence(["passport", "due", "--json"], { DATABASE_URL: url });
      const told = JSON.parse(stdout) as { set_aside: number; set_aside_people: { reason: string }[] };
      assert.equal(told.set_aside_people.length, poisoned);
      const reasons = new Set(told.set_aside_people.map(({ reason }) => reason.replace(/\d{10,}(\.\d+)?/, "N")));
      assert.deepEqual([...reasons], ["The sum of the credentials is N points; the maximum of V1 is 10^15."]);

      // Mended: what was too much is brought down.
      await database.query("update credential set score = 1 where score = 1e15");
      await runCredence(["documents", "rebuild"], { DATABASE_URL: url });
      await runCredence(["passport", "recalculate", "--set-aside"], { DATABASE_URL: url });
      const again = await runCredence(["work", "--until-done", "--json"], { DATABASE_URL: url });
      assert.equal(JSON.parse(again.stdout).people, poisoned);
      assert.equal(await countWrongScores(database), 0);
      return { people, poisoned, seconds: run.seconds, people_a_second: Math.round(people / run.seconds) };
    }),
  );
}
