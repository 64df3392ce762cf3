import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  blockImport,
  digestTables,
  runCredence,
  startCredence,
  waitFor,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";

/**
 * An import that is killed at any moment and run again has the same result as an uninterrupted one.
 * Half of the kills happen at a random time, so that some fall before the first write and some into
 * the build of the standing. The other half happens while the import is blocked at a person, a
 * later one each time, so that they fall into a batch on any machine.
 */
export function proveInterruptedImport(people: number, kills = 20) {
  return withProofFolder(async (folder) => {
    const snapshot = join(folder, "snapshot");
    await runCredence(["generate", "--people", String(people), "--seed", "3", "--out", snapshot]);
    const whole = await withProofDatabase(async ({ url, database }) => {
      const run = await runCredence(["import", snapshot], { DATABASE_URL: url });
      return { seconds: run.seconds, digests: await digestTables(database) };
    });
    const killed: { after_ms: number; stored_people: number; listed_people: number }[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      await withProofDatabase(async ({ url, database }) => {
        const block = kill % 2 === 1 ? await blockImport(database, Math.ceil((people * (kill + 1)) / kills)) : null;
        const startedAt = performance.now();
        const started = startCredence(["import", snapshot], { DATABASE_URL: url });
        const timeToKill = block
          ? waitFor("the import to be blocked", block.isBlocking)
          : setTimeout(((kill + Math.random()) / kills) * whole.seconds * 1_000);
        await Promise.race([timeToKill, started.ended]);
        const after_ms = Math.round(performance.now() - startedAt);
        started.process.kill("SIGKILL");
        await started.ended;
        await block?.release();
        const { rows } = await database.query<{ stored_people: number; listed_people: number }>(
          `select (select count(*) from passport) as stored_people,
             (select total from standing_epoch order by epoch desc limit 1) as listed_people`,
        );
        killed.push({ after_ms, ...(rows[0] as { stored_people: number; listed_people: number }) });
        await runCredence(["import", snapshot], { DATABASE_URL: url });
        assert.deepEqual(await digestTables(database), whole.digests, `killed after ${after_ms} ms`);
      });
    }
    return { people, uninterrupted_seconds: whole.seconds, killed };
  });
}
