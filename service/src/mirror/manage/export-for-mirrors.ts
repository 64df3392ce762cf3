import type { KeyObject } from "node:crypto";
import type { MirroredPerson } from "@credence/contract/person.ts";
import type { Manifest } from "@credence/contract/snapshot.ts";
import { type Connection, type Database, inTransaction, planLookUps } from "#core/database/database.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import { writeSnapshot } from "#core/files/write-snapshot.ts";
import { type ChangeCounters, findChangeCounters } from "#list/manage/change-counter.ts";
import { listMerges } from "#people/facts/merges.ts";
import { countPassports, listPassportIdsAfter, listShownIds } from "#people/facts/passports.ts";
import { listOwnedWallets } from "#people/facts/wallet-owner-rule.ts";
import { keepCarried } from "#people/present/carried.ts";
import { inV1Order } from "#people/present/credentials.ts";
import { type PersonFacts, readPeople } from "#people/read/read-people.ts";
import { findTime } from "./publication.ts";

const BATCH_PEOPLE = 250;

export type ExportOptions = {
  source: string;
  feed: string;
  privateKey: KeyObject | null;
  onProgress: (people: number, total: number) => void;
  signal?: AbortSignal;
};

/**
 * Writes what V1 shows into a new folder, as of one moment: no hidden people, no opt-outs, no carried
 * fields, and no id of anybody who is not shown.
 */
export function exportForMirrors(
  database: Database,
  folder: string,
  { source, feed, privateKey, onProgress, signal }: ExportOptions,
): Promise<{ manifest: Manifest; counters: ChangeCounters }> {
  return inTransaction(
    database,
    async (connection) => {
      const createdAt = await findTime(connection);
      const counters = await findChangeCounters(connection);
      const total = await countPassports(connection);
      await planLookUps(connection);
      const people = streamShown(connection, signal);
      const content = { source, createdAt, people, optOuts: null, feed, privateKey };
      const manifest = await writeSnapshot(folder, content, (written) => onProgress(written, total));
      if (manifest.people > 0) return { manifest, counters };
      throw new SnapshotRefused("V1 shows nobody here: there is nothing to publish.", "Import people first.");
    },
    "repeatable read, read only",
  );
}

async function* streamShown(connection: Connection, signal?: AbortSignal): AsyncGenerator<MirroredPerson> {
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const ids = await listPassportIdsAfter(connection, after, BATCH_PEOPLE);
    const last = ids.at(-1);
    if (last === undefined) return;
    const people = await readPeople(connection, await listShownIds(connection, ids));
    const survivorOf = await findShownSurvivors(connection, people);
    const owned = new Set(await listOwnedWallets(connection, people.flatMap(walletsOf)));
    for (const person of people) yield asMirrored(person, survivorOf(person), owned);
    after = last;
  }
}

const walletsOf = ({ passport: { main_wallet, verified_wallets } }: PersonFacts): string[] =>
  main_wallet === null ? verified_wallets : [...new Set([main_wallet, ...verified_wallets])];

/** The end of the chain of merges of each person; null if there is none, or if it is not shown. */
async function findShownSurvivors(connection: Connection, people: readonly PersonFacts[]) {
  const merged = people.filter(({ operator }) => operator.merged_into !== null).map(idOf);
  const merges = await listMerges(connection, merged);
  const ends = new Map(merged.map((id) => [id, endOf(merges, id)]));
  const shown = new Set(
    await listShownIds(
      connection,
      [...ends.values()].filter((id) => id !== null),
    ),
  );
  return (person: PersonFacts): number | null => {
    const end = ends.get(idOf(person)) ?? null;
    return end !== null && shown.has(end) ? end : null;
  };
}

const idOf = ({ passport }: PersonFacts): number => passport.passport_id;

/** Null for a cycle, which has no end. */
function endOf(merges: ReadonlyMap<number, number | null>, from: number): number | null {
  const visited = new Set<number>();
  let at = from;
  for (let next = merges.get(at) ?? null; next !== null; next = merges.get(at) ?? null) {
    if (visited.has(at)) return null;
    visited.add(at);
    at = next;
  }
  return at;
}

const NO_FIELDS = new Set<never>();

function asMirrored(person: PersonFacts, survivor: number | null, owned: ReadonlySet<string>): MirroredPerson {
  const { passport, credentials, operator } = person;
  const unowned_wallets = walletsOf(person).filter((address) => !owned.has(address));
  // V1 says that a person is merged, also if it does not show into whom.
  const merged = passport.merged || (operator.merged_into !== null && survivor === null);
  return {
    passport: { ...keepCarried(passport, NO_FIELDS), merged },
    credentials: credentials.toSorted(inV1Order),
    operator: { merged_into: survivor, ...(unowned_wallets.length > 0 && { unowned_wallets }) },
  };
}
