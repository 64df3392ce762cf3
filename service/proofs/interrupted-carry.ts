import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CARRIED_FIELDS } from "@credence/contract/carried.ts";
import type { Database } from "#core/database/database.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { findCarriedState } from "#people/facts/carried-fields.ts";
import {
  blockDocument,
  digestTables,
  runCredence,
  startCredence,
  waitFor,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";
import { writeCarryingPeople } from "./write-people.ts";

const CARRY = ["fields", "carry", ...CARRIED_FIELDS, "--yes"];
const DROP = ["fields", "drop", ...CARRIED_FIELDS, "--yes"];

/**
 * `fields carry` and `fields drop` that are killed at any moment and finished by a repetition, or by
 * `work`, have the same result as without the kill. Half of the kills happen at a random time. The
 * other half happens while the command is blocked at a person, a later one each time.
 */
export function proveInterruptedCarry(people: number, kills = 20) {
  return withProofFolder(async (folder) => {
    const source = join(folder, "people.ndjson");
    await writeCarryingPeople(source, people);
    return withProofDatabase(async ({ url, database }) => {
      const run = (args: readonly string[]) => runCredence(args, { DATABASE_URL: url });
      await run(["import", source]);
      const dropped = await digest(database);
      const { seconds } = await run(CARRY);
      await run(["import", source]);
      const carried = await digest(database);
      assert.notDeepEqual(carried, dropped);
      const killed: { command: string; after_ms: number; presented_to: number | null }[] = [];
      for (let kill = 0; kill < kills; kill += 1) {
        const isDrop = kill % 2 === 0;
        const args = isDrop ? DROP : CARRY;
        const block = [1, 2].includes(kill % 4)
          ? await blockDocument(database, Math.ceil((people * (kill + 1)) / kills))
          : null;
        const startedAt = performance.now();
        const started = startCredence(args, { DATABASE_URL: url });
        const timeToKill = block
          ? waitFor("the command to be blocked", block.isBlocking)
          : setTimeout(((kill + Math.random()) / kills) * seconds * 1_000);
        await Promise.race([timeToKill, started.ended]);
        started.process.kill("SIGKILL");
        await started.ended;
        await block?.release();
        const { presentedTo } = await findCarriedState(database);
        killed.push({
          ...{ command: isDrop ? "drop" : "carry", presented_to: presentedTo },
          after_ms: Math.round(performance.now() - startedAt),
        });
        // Before the first commit, a worker has nothing to finish.
        await run(presentedTo !== null && kill % 3 === 2 ? ["work", "--until-done"] : args);
        // A carried field has no values before the next import.
        if (!isDrop) await run(["import", source]);
        assert.deepEqual(await digest(database), isDrop ? dropped : carried, `kill ${kill}`);
        assert.equal((await verifyDocuments(database, () => {})).different, 0);
      }
      return { people, uninterrupted_seconds: seconds, killed };
    });
  });
}

/** Of facts and documents. The list follows later; digests of imported lines depend on how often they were read. */
async function digest(database: Database) {
  const { standing, passport, ...digests } = await digestTables(database);
  const { rows } = await database.query(
    "select count(*), sum(hashtextextended((to_jsonb(passport) - 'source_digest')::text, 0)) from passport",
  );
  return { ...digests, passport: rows };
}
