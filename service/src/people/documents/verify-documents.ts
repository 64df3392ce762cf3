import { type Connection, type Database, inTransaction, planLookUps } from "#core/database/database.ts";
import { type FoundDocuments, listDocuments, type StoredDocuments } from "#people/facts/documents.ts";
import { listUnlistedOwners, listWrongOwners } from "#people/facts/wallet-owners.ts";
import { listWallets } from "#people/facts/wallets.ts";
import { listWrongParts, streamKnownIds } from "./rebuild-documents.ts";
import { makeDocuments } from "./write-documents.ts";

type Difference = { passport_id: number; problem: string };
export type Verification = { checked: number; different: number; differences: Difference[] };

/** Differences that are listed in the result; the rest are counted. */
const MAX_LISTED = 100;

/**
 * Compares everything that follows from the lines with what is stored: columns, wallets, documents and owners of
 * wallets. Writes nothing.
 */
export async function verifyDocuments(database: Database, onProgress: (people: number) => void): Promise<Verification> {
  const result: Verification = { checked: 0, different: 0, differences: [] };
  const add = (differences: readonly Difference[]) => {
    result.different += differences.length;
    result.differences.push(...differences.slice(0, MAX_LISTED - result.differences.length));
  };
  for await (const ids of streamKnownIds(database)) {
    add(await inTransaction(database, (connection) => verifyBatch(connection, ids), "repeatable read, read only"));
    result.checked += ids.length;
    onProgress(result.checked);
  }
  const unlisted = await listUnlistedOwners(database, MAX_LISTED);
  add(unlisted.map((passport_id) => ({ passport_id, problem: "owns a wallet that no record lists" })));
  return result;
}

async function verifyBatch(connection: Connection, ids: readonly number[]): Promise<Difference[]> {
  await planLookUps(connection);
  const documents = compare(ids, await makeDocuments(connection, ids), await listDocuments(connection, ids));
  const wallets = await listWallets(connection, ids);
  const addresses = [...new Set(wallets.map((wallet) => wallet.address))];
  const wrongOwners = new Set(await listWrongOwners(connection, addresses));
  const { lines, columns, wallets: wrongWallets } = await listWrongParts(connection, ids);
  const all = (people: Iterable<number>, problem: string) =>
    [...new Set(people)].map((passport_id) => ({ passport_id, problem }));
  return [
    ...documents,
    ...all(
      lines.map(({ passport_id }) => passport_id),
      "has a line that is not in canonical form",
    ),
    ...all(
      columns.map(({ passport_id }) => passport_id),
      "has columns that contradict the line",
    ),
    ...all(wrongWallets.keys(), "has wallets that contradict the line"),
    ...all(
      wallets.filter(({ address }) => wrongOwners.has(address)).map(({ passport_id }) => passport_id),
      "lists a wallet with a wrong owner",
    ),
  ];
}

function compare(ids: readonly number[], wanted: StoredDocuments[], stored: FoundDocuments[]): Difference[] {
  const wantedById = new Map(wanted.map((document) => [document.passport_id, document]));
  const storedById = new Map(stored.map((document) => [document.passport_id, document]));
  return ids.flatMap((passport_id) => {
    const problem = describeDifference(wantedById.get(passport_id), storedById.get(passport_id));
    return problem === null ? [] : [{ passport_id, problem }];
  });
}

function describeDifference(wanted: StoredDocuments | undefined, stored: FoundDocuments | undefined): string | null {
  if (wanted === undefined) return stored === undefined ? null : "has documents, but should have none";
  if (stored === undefined) return "has no documents";
  if (stored.body === null) return "has no passport document";
  if (stored.credentials_body === null) return "has no credential document";
  const fields = Object.keys(wanted) as (keyof StoredDocuments)[];
  const different = fields.filter((field) => wanted[field] !== stored[field]);
  return different.length === 0 ? null : `differs in ${different.join(", ")}`;
}
