import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { queryValue } from "#core/database/database.ts";
import {
  type Block,
  blockImport,
  digestTables,
  runCredence,
  startCredence,
  waitFor,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";
import { writePeople } from "./write-people.ts";

/**
 * An import that is killed at any moment and run again has the result of an uninterrupted one. Half of
 * the kills happen at a random time. The other half happens while the command is blocked at a person, a
 * later one each time, so that they fall into a batch on any machine.
 */
export function proveInterrupted(people: number, kills = 20) {
  return withProofFolder(async (folder) => {
    const source = join(folder, "people.ndjson");
    await writePeople(source, people, 56);
    const imports = await interruptImports({ people, kills, source });
    return { people, killed: imports.length, imports };
  });
}

type Plan = { people: number; kills: number; source: string };

async function interruptImports({ people, kills, source }: Plan) {
  const args = ["import", source];
  const whole = await withProofDatabase(async ({ url, database }) => {
    const { seconds } = await runCredence(args, { DATABASE_URL: url });
    return { seconds, digests: await digestTables(database) };
  });
  const killed: { after_ms: number; stored_people: number }[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    await withProofDatabase(async ({ url, database }) => {
      const block = kill % 2 === 1 ? await blockImport(database, Math.ceil((people * (kill + 1)) / kills)) : null;
      // Early: some fall before the first write. Late: some fall into the build of the standing.
      const after_ms = await killWhen(args, url, block, ((kill + Math.random()) / kills) * whole.seconds * 1_000);
      const stored_people = await queryValue<number>(database, "select count(*)::int from person");
      killed.push({ after_ms, stored_people });
      await runCredence(args, { DATABASE_URL: url });
      assert.deepEqual(await digestTables(database), whole.digests, `killed after ${after_ms} ms`);
    });
  }
  return killed;
}

/** Kills a command when it is blocked, or after some time. Returns how long it ran. */
async function killWhen(args: readonly string[], url: string, block: Block | null, ms: number): Promise<number> {
  const startedAt = performance.now();
  const { process, ended } = startCredence(args, { DATABASE_URL: url });
  await Promise.race([block ? waitFor("the command to be blocked", block.isBlocking) : setTimeout(ms), ended]);
  const afterMs = Math.round(performance.now() - startedAt);
  process.kill("SIGKILL");
  await ended;
  await block?.release();
  return afterMs;
}
