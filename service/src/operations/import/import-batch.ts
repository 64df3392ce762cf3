import { erasePeople } from "#operations/holders/erase-people.ts";
import { queueRecalculation } from "#operations/scores/queue-recalculation.ts";
import { deletePeople } from "#operations/write/delete-people.ts";
import { findChanges } from "#operations/write/find-changes.ts";
import type { PreparedPerson } from "#operations/write/prepare-person.ts";
import { type Saved, writePeople } from "#operations/write/save-people.ts";
import { createRowEncoder } from "#store/engine/copy.ts";
import { type Connection, type DedicatedConnection, transact } from "#store/engine/database.ts";
import { describeDataFault, isDuplicateKey } from "#store/engine/failures.ts";
import { lockPeople } from "#store/engine/locks.ts";
import { planLookUps } from "#store/engine/planner.ts";
import { listStoredIds } from "#store/people/passports.ts";
import { updateSourceDigests } from "#store/people/stored-states.ts";
import { adjustPerson, listHeldScores } from "./adjust-person.ts";
import { sortLines } from "./classify-lines.ts";
import { type GivenLine, type ImportRun, type RefusedLine, reject } from "./import-run.ts";

/** Takes one batch in. If the database refuses the data of somebody in it, the others are taken in without them. */
export async function importBatch(
  connection: DedicatedConnection,
  batch: readonly GivenLine[],
  run: ImportRun,
  clear = false,
): Promise<void> {
  try {
    tally(run, await transact(connection, () => takeIn(connection, batch, run, clear)));
    run.onCommitted?.();
  } catch (error) {
    const fault = describeDataFault(error);
    if (fault === null) throw error;
    const [first] = batch;
    if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      await importBatch(connection, batch.slice(0, half), run);
      await importBatch(connection, batch.slice(half), run);
    } else if (isDuplicateKey(error) && !clear) {
      // Rows of somebody who is not here are in the way: left by a deletion by hand, they are nobody's.
      await importBatch(connection, batch, run, true);
    } else if (first !== undefined) {
      reject(run, { ...first, refusal: { field: null, reason: fault }, withheld: false });
    }
  }
}

type Outcome = { saved: Saved; optedOut: number; erased: number[]; walletsDropped: number; refused: RefusedLine[] };

async function takeIn(
  connection: Connection,
  batch: readonly GivenLine[],
  run: ImportRun,
  clear: boolean,
): Promise<Outcome> {
  // Held from the first look at who opted out: whoever is erased meanwhile comes after this batch, not in between.
  await (run.dryRun ? planLookUps(connection) : lockPeople(connection));
  const { people, unchanged, optedOut, toErase, refused, wallets } = await sortLines(connection, batch, run.optOutKey);
  const ids = people.map(({ person }) => person.passport_id);
  const held = run.recalculate ? await listHeldScores(connection, ids) : null;
  const press = createRowEncoder();
  const given = people.map((line) => adjustPerson(line, wallets, held, press));
  const erased = await (run.dryRun ? listStoredIds(connection, toErase) : erasePeople(connection, toErase));
  if (clear)
    await deletePeople(
      connection,
      given.map((one) => one.passport_id),
    );
  const saved = await (run.dryRun ? compare(connection, given) : writePeople(connection, given));
  if (!run.dryRun) {
    const digests = new Map(people.map(({ person, digest }) => [person.passport_id, digest]));
    await noteDigests(connection, digests, saved.unchangedIds);
    if (run.recalculate) {
      await queueRecalculation(connection, without(given, saved.unchangedIds), saved.presentedIds);
    }
  }
  saved.unchanged += unchanged;
  return {
    saved,
    optedOut,
    erased,
    walletsDropped: given.reduce((total, one) => total + one.walletsDropped, 0),
    refused,
  };
}

function without(people: readonly PreparedPerson[], ids: readonly number[]): number[] {
  const left = new Set(people.map((one) => one.passport_id)).difference(new Set(ids));
  return [...left];
}

/** Whoever is held as given is passed over the next time this line comes. */
async function noteDigests(connection: Connection, digests: ReadonlyMap<number, string>, ids: readonly number[]) {
  const unchanged = ids.map((passport_id) => ({ passport_id, digest: digests.get(passport_id) as string }));
  if (unchanged.length > 0) await updateSourceDigests(connection, unchanged);
}

async function compare(connection: Connection, given: readonly PreparedPerson[]): Promise<Saved> {
  const changes = await findChanges(connection, given);
  const added = changes.filter((change) => change.held === null).length;
  const changed = changes.length - added;
  return {
    added,
    changed,
    unchanged: given.length - changes.length,
    unchangedIds: [],
    presentedIds: new Set(),
    contested: [],
  };
}

/** How many contested wallets are told one by one; the rest are counted. */
const TOLD = 100;

/** Adds what a batch came to, once it is committed. */
function tally(run: ImportRun, { saved, optedOut, erased, walletsDropped, refused }: Outcome): void {
  const { imported } = run;
  imported.added += saved.added;
  imported.changed += saved.changed;
  imported.unchanged += saved.unchanged;
  imported.opted_out += optedOut;
  imported.erased.push(...erased);
  imported.wallets_dropped += walletsDropped;
  imported.contested_wallets += saved.contested.filter((wallet) => wallet.is_new).length;
  const told = new Map([...imported.contested, ...saved.contested].map((wallet) => [wallet.address, wallet]));
  imported.contested = [...told.values()].slice(0, TOLD);
  for (const line of refused) reject(run, line);
}
