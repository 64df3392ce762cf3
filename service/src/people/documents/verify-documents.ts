import { type Connection, type Database, inTransaction, planLookUps } from "#core/database/database.ts";
import { type FoundDocuments, listDocuments, type StoredDocuments } from "#people/facts/documents.ts";
import { listUnlistedOwners, listWrongOwners } from "#people/facts/wallet-owner-rule.ts";
import { listWallets } from "#people/facts/wallets.ts";
import { makeDocuments } from "./make-documents.ts";
import { streamKnownIds } from "./rebuild-documents.ts";

type Difference = { passport_id: number; problem: string };
export type Verification = { checked: number; different: number; differences: Difference[] };

/** Differences that are listed in the result; the rest are counted. */
const MAX_LISTED = 100;

/**
 * Compares all stored documents and wallet owners with those that the facts give. Writes nothing.
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
  const wrong = new Set(
    await listWrongOwners(
      connection,
      wallets.map((wallet) => wallet.address),
    ),
  );
  const listing = new Set(wallets.filter((wallet) => wrong.has(wallet.address)).map((wallet) => wallet.passport_id));
  return [
    ...documents,
    ...[...listing].map((passport_id) => ({ passport_id, problem: "lists a wallet with a wrong owner" })),
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
