import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  digestTables,
  holdUpImport,
  runCredence,
  startCredence,
  waitUntil,
  withProofDatabase,
  withProofFolder,
} from "./ground.ts";

/**
 * An import that is killed at any moment and run again ends as one that nobody killed. Every other moment is a random one, counted
 * from the start, so that some fall before anything is written and some into the building of the list. For the rest, somebody is
 * held up, further on each time and the last one at the end, so that however fast the machine is, they fall into a batch.
 */
export function proveInterruptedImport(people: number, kills = 20) {
  return withProofFolder(async (folder) => {
    const snapshot = join(folder, "snapshot");
    await runCredence(["generate", "--people", String(people), "--seed", "3", "--out", snapshot]);
    const whole = await withProofDatabase(async ({ url, database }) => {
      const run = await runCredence(["import", snapshot], { DATABASE_URL: url });
      return { seconds: run.seconds, digests: await digestTables(database) };
    });
    const killed: { after_ms: number; people_by_then: number; listed_by_then: number }[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      await withProofDatabase(async ({ url, database }) => {
        const hold = kill % 2 === 1 ? await holdUpImport(database, Math.ceil((people * (kill + 1)) / kills)) : null;
        const begun = performance.now();
        const started = startCredence(["import", snapshot], { DATABASE_URL: url });
        const moment = hold
          ? waitUntil(hold.isReached)
          : setTimeout(((kill + Math.random()) / kills) * whole.seconds * 1_000);
        await Promise.race([moment, started.ended]);
        const after_ms = Math.round(performance.now() - begun);
        started.process.kill("SIGKILL");
        await started.ended;
        await hold?.release();
        const { rows } = await database.query<{ people_by_then: number; listed_by_then: number }>(
          `select (select count(*) from passport) as people_by_then,
             (select total from standing_epoch order by epoch desc limit 1) as listed_by_then`,
        );
        killed.push({ after_ms, ...(rows[0] as { people_by_then: number; listed_by_then: number }) });
        await runCredence(["import", snapshot], { DATABASE_URL: url });
        assert.deepEqual(await digestTables(database), whole.digests, `killed after ${after_ms} ms`);
      });
    }
    return { people, uninterrupted_seconds: whole.seconds, killed };
  });
}
