import { type Connection, type DedicatedConnection, planLookUps, transact } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { updateDigests } from "#people/facts/people.ts";
import { findChanges, type Saved, writePeople } from "#people/write/save-people.ts";
import { type BatchPlan, classifyLines } from "./classify-lines.ts";
import { type ImportRun, type IncomingLine, reject } from "./import-run.ts";

/** Imports one batch in one transaction. It writes facts, and no decision. */
export async function importBatch(
  connection: DedicatedConnection,
  batch: readonly IncomingLine[],
  run: ImportRun,
): Promise<void> {
  const { plan, saved } = run.dryRun
    ? // PostgreSQL refuses all writes but those to temporary tables, and nobody waits for a dry run.
      await transact(
        connection,
        async (reading) => {
          await planLookUps(reading);
          const plan = await classifyLines(reading, batch, run);
          return { plan, saved: await preview(reading, plan) };
        },
        "read committed, read only",
      )
    : await transact(connection, async (writing) => {
        // Before decisions are read: nobody else decides, or changes people, meanwhile.
        await lockPeople(writing);
        const plan = await classifyLines(writing, batch, run);
        const saved = await writePeople(writing, plan.people);
        await storeDigests(writing, plan, saved);
        return { plan, saved };
      });
  addToResult(run, plan, saved);
  run.onCommitted?.();
}

/** What `writePeople` would return, without ids of unchanged people and contested wallets. */
async function preview(connection: Connection, { people }: BatchPlan): Promise<Saved> {
  const changes = await findChanges(connection, people);
  const added = changes.filter((change) => change.stored === null).length;
  return {
    added,
    changed: changes.length - added,
    unchanged: people.length - changes.length,
    unchangedIds: [],
    contested: [],
  };
}

/** Stores the digests of new lines with unchanged content, so that the next import skips them unread. */
async function storeDigests(connection: Connection, { people }: BatchPlan, { unchangedIds }: Saved): Promise<void> {
  const digests = new Map(people.map(({ passport_id, digest }) => [passport_id, digest]));
  const unchanged = unchangedIds.flatMap((passport_id) => {
    const digest = digests.get(passport_id) ?? null;
    return digest === null ? [] : [{ passport_id, digest }];
  });
  if (unchanged.length > 0) await updateDigests(connection, unchanged);
}

/** The result lists the first contested wallets, and counts the new ones. */
const MAX_LISTED = 100;

function addToResult(run: ImportRun, plan: BatchPlan, saved: Saved): void {
  const { imported } = run;
  imported.added += saved.added;
  imported.changed += saved.changed;
  imported.unchanged += plan.unchanged + saved.unchanged;
  imported.erased += plan.erased;
  imported.wallets_removed += plan.walletsRemoved;
  imported.lost_main_wallets += plan.lostMain.length;
  imported.lost_main.push(...plan.lostMain.slice(0, MAX_LISTED - imported.lost_main.length));
  imported.contested_wallets += saved.contested.filter((wallet) => wallet.is_new).length;
  const listed = new Map([...imported.contested, ...saved.contested].map((wallet) => [wallet.address, wallet]));
  imported.contested = [...listed.values()].slice(0, MAX_LISTED);
  for (const line of plan.refused) reject(run, line);
}
