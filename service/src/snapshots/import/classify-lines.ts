import { createRowEncoder } from "#core/database/copy.ts";
import type { Connection } from "#core/database/database.ts";
import { findErasedWallets } from "#decisions/erased-wallets.ts";
import { listErasedIds } from "#decisions/ledger.ts";
import { withoutWallets } from "#people/line.ts";
import { type PreparedPerson, preparePerson } from "#people/write/prepare-person.ts";
import type { Fault } from "#snapshots/format/find-faults.ts";
import type { ImportRun, IncomingLine, LineContent, Place, RefusedLine } from "./import-run.ts";
import { insertSeenPeople } from "./seen-people.ts";

/** What becomes of the lines of a batch. */
export type BatchPlan = {
  people: PreparedPerson[];
  /** Number of lines that are identical to the one that the stored person was imported from. */
  unchanged: number;
  /** Number of lines with a person who was erased. */
  erased: number;
  /** Number of wallets of erased people that were removed from other lines, and whose main wallet it was. */
  walletsRemoved: number;
  lostMain: number[];
  refused: RefusedLine[];
};

type ReadContent = Exclude<LineContent, { kind: "refused" }>;
type ReadLine = IncomingLine & { content: ReadContent };

/**
 * Decides what becomes of each line of a batch, under the lock of people. Reads only: the ids of this import
 * are written to a temporary table, to find duplicates. Of several lines with one passport_id the first counts,
 * in this batch or an earlier one.
 */
export async function classifyLines(
  connection: Connection,
  batch: readonly IncomingLine[],
  { optOutKeys }: Pick<ImportRun, "optOutKeys">,
): Promise<BatchPlan> {
  const identifiers = batch.map(({ content }) => identifiersIn(content));
  const ids = identifiers.flatMap(({ passport_id }) => passport_id ?? []);
  const erasedIds = new Set(await listErasedIds(connection, ids));
  const erasedWallets = await findErasedWallets(
    connection,
    optOutKeys,
    identifiers.flatMap(({ wallets }) => wallets),
  );
  const isErased = (content: LineContent): boolean => erasedIds.has(passportIdOf(content) ?? 0);
  const places = await recordPlaces(connection, batch.filter(isRead));
  const plan: BatchPlan = { people: [], unchanged: 0, erased: 0, walletsRemoved: 0, lostMain: [], refused: [] };
  const encode = createRowEncoder();
  for (const line of batch) {
    const { content, file, digest } = line;
    if (content.kind === "refused") {
      const withheld = isErased(content) || content.guessed.wallets.some((address) => erasedWallets.has(address));
      plan.refused.push({ file, line: line.line, refusal: content.refusal, withheld });
      continue;
    }
    const first = places.get(idOf(content));
    if (isErased(content)) plan.erased += 1;
    else if (first?.file !== file || first.line !== line.line.number)
      plan.refused.push({ file, line: line.line, refusal: duplicateOf(first), withheld: false });
    else if (content.kind === "unchanged") plan.unchanged += 1;
    else {
      const { person, incoming } = content;
      const removed = erasedWallets.size === 0 ? [] : walletsOf(person).filter((address) => erasedWallets.has(address));
      if (removed.length === 0) plan.people.push({ ...person, digest });
      else {
        const lost_main = removed.some((address) => address === person.passport.main_wallet);
        const kept = withoutWallets({ ...incoming, passport: person.passport }, new Set(removed));
        // Without a digest: the line is read again, in case the wallets may come back.
        plan.people.push(preparePerson(kept, { digest: null, lost_main }, encode));
        plan.walletsRemoved += removed.length;
        if (lost_main) plan.lostMain.push(person.passport_id);
      }
    }
  }
  return plan;
}

const isRead = (line: IncomingLine): line is ReadLine => line.content.kind !== "refused";

const duplicateOf = (place: { file: string; line: number } | undefined): Fault => ({
  field: "passport.passport_id",
  reason: `is already on line ${place?.line} of ${place?.file}`,
  kind: "is already on another line",
});

const idOf = (content: ReadContent): number =>
  content.kind === "person" ? content.person.passport_id : content.passport_id;

const passportIdOf = (content: LineContent): number | null =>
  content.kind === "refused" ? content.guessed.passport_id : idOf(content);

function walletsOf({ passport: { main_wallet, verified_wallets } }: PreparedPerson): string[] {
  return [...new Set(main_wallet === null ? verified_wallets : [main_wallet, ...verified_wallets])];
}

/** The person of a line, and the wallets that may be of erased people. */
function identifiersIn(content: LineContent): { passport_id: number | null; wallets: readonly string[] } {
  // A stored line has no wallet of an erased person.
  if (content.kind === "unchanged") return { passport_id: content.passport_id, wallets: [] };
  if (content.kind === "refused") return content.guessed;
  return { passport_id: content.person.passport_id, wallets: walletsOf(content.person) };
}

/** Records the first place of each person in this import, and returns it. */
async function recordPlaces(connection: Connection, lines: readonly (Place & ReadLine)[]) {
  const places = new Map<number, { file: string; line: number }>();
  for (const { content, file, line } of lines) {
    const id = idOf(content);
    if (!places.has(id)) places.set(id, { file, line: line.number });
  }
  const rows = [...places].map(([passport_id, place]) => ({ passport_id, ...place }));
  for (const { passport_id, ...place } of await insertSeenPeople(connection, rows)) places.set(passport_id, place);
  return places;
}
