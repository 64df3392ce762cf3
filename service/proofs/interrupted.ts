import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CARRIED_FIELDS } from "@credence/contract/carried.ts";
import { type Database, queryValue } from "#core/database/database.ts";
import { verifyDocuments } from "#people/documents/verify-documents.ts";
import { findCarriedState } from "#people/facts/carried-fields.ts";
import {
  type Block,
  blockDocument,
  blockImport,
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
 * `import`, `fields carry` and `fields drop` that are killed at any moment and run again have the
 * result of uninterrupted ones. Half of the kills happen at a random time. The other half happens
 * while the command is blocked at a person, a later one each time, so that they fall into a batch on
 * any machine.
 */
export function proveInterrupted(people: number, kills = 20) {
  return withProofFolder(async (folder) => {
    const source = join(folder, "people.ndjson");
    await writeCarryingPeople(source, people);
    const plan: Plan = { people, kills, source };
    const imports = await interruptImports(plan);
    const carries = await withProofDatabase(({ url, database }) => interruptCarries(plan, url, database));
    return { people, killed: imports.length + carries.length, imports, carries };
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
      const stored_people = await queryValue<number>(database, "select count(*)::int from passport");
      killed.push({ after_ms, stored_people });
      await runCredence(args, { DATABASE_URL: url });
      assert.deepEqual(await digestTables(database), whole.digests, `killed after ${after_ms} ms`);
    });
  }
  return killed;
}

async function interruptCarries({ people, kills, source }: Plan, url: string, database: Database) {
  const run = (args: readonly string[]) => runCredence(args, { DATABASE_URL: url });
  await run(["import", source]);
  const dropped = await digestCarried(database);
  const { seconds } = await run(CARRY);
  await run(["import", source]);
  const carried = await digestCarried(database);
  assert.notDeepEqual(carried, dropped);
  const killed: { command: string; after_ms: number; presented_to: number | null }[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const args = kill % 2 === 0 ? DROP : CARRY;
    const isBlocked = [1, 2].includes(kill % 4);
    const block = isBlocked ? await blockDocument(database, Math.ceil((people * (kill + 1)) / kills)) : null;
    const after_ms = await killWhen(args, url, block, ((kill + Math.random()) / kills) * seconds * 1_000);
    const { presentedTo } = await findCarriedState(database);
    killed.push({ command: args.slice(0, 2).join(" "), after_ms, presented_to: presentedTo });
    // Before the first commit, a worker has nothing to finish.
    await run(presentedTo !== null && kill % 3 === 2 ? ["work", "--until-done"] : args);
    // A carried field has no values before the next import.
    if (args === CARRY) await run(["import", source]);
    assert.deepEqual(await digestCarried(database), args === DROP ? dropped : carried, `kill ${kill}`);
    assert.equal((await verifyDocuments(database, () => {})).different, 0);
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

/** Of facts and documents. The list follows later; digests of imported lines depend on how often they were read. */
async function digestCarried(database: Database) {
  const { standing, passport, ...digests } = await digestTables(database);
  const { rows } = await database.query(
    "select count(*), sum(hashtextextended((to_jsonb(passport) - 'source_digest')::text, 0)) from passport",
  );
  return { ...digests, passport: rows };
}
