import type { Refusal } from "#snapshot/read-person.ts";
import { type Connection, type LentConnection, transact } from "#store/database.ts";
import { describeDataFault, isRepeatedKey } from "#store/failures.ts";
import { insertGivenPeople } from "#store/given-people.ts";
import { updateSourceDigests } from "#store/held-states.ts";
import { lockPeople } from "#store/locks.ts";
import { listOptedOutIds } from "#store/opt-outs.ts";
import { planLookUps } from "#store/plans.ts";
import { adjustPerson, listHeldScores } from "./adjust-person.ts";
import { deletePeople, erasePeople } from "./erase-people.ts";
import { findChanges } from "./find-changes.ts";
import { findOptedOutWallets } from "./find-opted-out.ts";
import { type GivenLine, type ImportRun, type Place, reject } from "./import-run.ts";
import type { PreparedPerson } from "./prepare-person.ts";
import { queueRecalculation } from "./queue-recalculation.ts";
import { type Saved, writePeople } from "./save-people.ts";

/** Takes one batch in. If the database refuses the data of somebody in it, the others are taken in without them. */
export async function importBatch(
  connection: LentConnection,
  batch: readonly GivenLine[],
  run: ImportRun,
  clear = false,
): Promise<void> {
  try {
    tally(run, await transact(connection, () => takeIn(connection, batch, run, clear)));
  } catch (error) {
    const fault = describeDataFault(error);
    if (fault === null) throw error;
    const [first] = batch;
    if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      await importBatch(connection, batch.slice(0, half), run);
      await importBatch(connection, batch.slice(half), run);
    } else if (isRepeatedKey(error) && !clear) {
      // Rows of somebody who is not here are in the way: left by a deletion by hand, they are nobody's.
      await importBatch(connection, batch, run, true);
    } else if (first !== undefined) {
      reject(run, first, { field: null, reason: fault });
    }
  }
}

type Outcome = { saved: Saved; skipped: number; walletsDropped: number; refused: (Place & Refusal)[] };

async function takeIn(
  connection: Connection,
  batch: readonly GivenLine[],
  run: ImportRun,
  clear: boolean,
): Promise<Outcome> {
  // Held from the first look at who opted out: whoever is erased meanwhile comes after this batch, not in between.
  await (run.dryRun ? planLookUps(connection) : lockPeople(connection));
  const { kept, optedOut, wallets } = await dropOptedOut(connection, batch, run.optOutKey);
  const refused = kept.flatMap(({ file, line, refusal }) => (refusal === null ? [] : [{ file, line, ...refusal }]));
  const { first, repeated } = await dropRepeated(connection, kept.filter(isReadable));
  const held = run.recalculate ? await listHeldScores(connection, first) : new Map();
  const given = first.flatMap((one) => (one.prepared === null ? [] : [adjustPerson(one, one.prepared, wallets, held)]));
  if (!run.dryRun) await erasePeople(connection, optedOut);
  if (clear)
    await deletePeople(
      connection,
      given.map((one) => one.passport_id),
    );
  const saved = await (run.dryRun ? compare(connection, given) : writePeople(connection, given));
  if (!run.dryRun) await noteDigests(connection, first, saved.unchangedIds);
  if (!run.dryRun && run.recalculate) await queueRecalculation(connection, without(given, saved.unchangedIds));
  saved.unchanged += first.length - given.length;
  return {
    saved,
    skipped: batch.length - kept.length,
    walletsDropped: given.reduce((total, one) => total + one.walletsDropped, 0),
    refused: [...refused, ...repeated],
  };
}

const isReadable = (one: GivenLine): one is GivenLine & { passport_id: number } => one.refusal === null;

/** Leaves out the lines of those who opted out, by id or by main wallet, whatever else is the matter with them. */
async function dropOptedOut(connection: Connection, batch: readonly GivenLine[], key: string | null) {
  const ids = new Set(
    await listOptedOutIds(
      connection,
      batch.flatMap(({ passport_id }) => passport_id ?? []),
    ),
  );
  const addresses = batch
    .flatMap(({ prepared, main_wallet }) => prepared?.wallets ?? [main_wallet])
    .filter((address) => address !== null);
  const wallets = await findOptedOutWallets(connection, key, addresses);
  const isOut = ({ passport_id, main_wallet }: GivenLine): boolean =>
    (passport_id !== null && ids.has(passport_id)) || wallets.has(main_wallet ?? "");
  const optedOut = batch.filter(isOut).flatMap(({ passport_id }) => passport_id ?? []);
  return { kept: batch.filter((one) => !isOut(one)), optedOut, wallets };
}

function without(people: readonly PreparedPerson[], ids: readonly number[]): number[] {
  const left = new Set(people.map((one) => one.passport_id)).difference(new Set(ids));
  return [...left];
}

/** Whoever is held as given is passed over the next time this line comes. */
async function noteDigests(connection: Connection, lines: readonly GivenLine[], unchangedIds: readonly number[]) {
  const unchanged = new Set(unchangedIds);
  const digests = lines.flatMap(({ passport_id, prepared, digest }) =>
    passport_id !== null && prepared !== null && unchanged.has(passport_id) ? [{ passport_id, digest }] : [],
  );
  if (digests.length > 0) await updateSourceDigests(connection, digests);
}

async function compare(connection: Connection, given: readonly PreparedPerson[]): Promise<Saved> {
  const changes = await findChanges(connection, given);
  const added = changes.filter((change) => change.held === null).length;
  const changed = changes.length - added;
  return { added, changed, unchanged: given.length - changes.length, unchangedIds: [], contested: [] };
}

/** Of several lines with the same passport_id the first counts, in this batch or in one before. */
async function dropRepeated(connection: Connection, batch: readonly (GivenLine & { passport_id: number })[]) {
  const places = new Map<number, { file: string; line: number }>();
  for (const { passport_id, file, line } of batch) {
    if (!places.has(passport_id)) places.set(passport_id, { file, line: line.number });
  }
  const noted = [...places].map(([passport_id, place]) => ({ passport_id, ...place }));
  for (const { passport_id, ...place } of await insertGivenPeople(connection, noted)) places.set(passport_id, place);

  const first: GivenLine[] = [];
  const repeated: (Place & Refusal)[] = [];
  for (const one of batch) {
    const { file, line, passport_id } = one;
    const place = places.get(passport_id);
    if (place?.file === file && place.line === line.number) first.push(one);
    else {
      const reason = `stands on line ${place?.line} of ${place?.file} already`;
      repeated.push({ file, line, field: "passport.passport_id", reason });
    }
  }
  return { first, repeated };
}

/** How many contested wallets are told one by one; the rest are counted. */
const TOLD = 100;

/** Adds what a batch came to, once it is committed. */
function tally(run: ImportRun, { saved, skipped, walletsDropped, refused }: Outcome): void {
  const { imported } = run;
  imported.added += saved.added;
  imported.changed += saved.changed;
  imported.unchanged += saved.unchanged;
  imported.opted_out += skipped;
  imported.wallets_dropped += walletsDropped;
  imported.contested_wallets += saved.contested.filter((wallet) => wallet.is_new).length;
  const told = new Map([...imported.contested, ...saved.contested].map((wallet) => [wallet.address, wallet]));
  imported.contested = [...told.values()].slice(0, TOLD);
  for (const { field, reason, ...place } of refused) reject(run, place, { field, reason });
}
