import { type Connection, type Database, inTransaction } from "#store/engine/database.ts";
import { planLookUps } from "#store/engine/planner.ts";
import { type FoundDocuments, listDocuments, type StoredDocuments } from "#store/people/documents.ts";
import { listMisledWallets, listStrayOwners, listWallets } from "#store/people/wallets.ts";
import { makeDocuments } from "./make-documents.ts";
import { eachBatchOfPeople } from "./stream-ids.ts";

type Difference = { passport_id: number; problem: string };
export type Verification = { checked: number; different: number; differences: Difference[] };

/** How many differences are told one by one; the rest are counted. */
const TOLD = 100;

/** Compares every stored document, and whom every wallet leads to, with what the facts give. Writes nothing. */
export async function verifyDocuments(database: Database, onProgress: (done: number) => void): Promise<Verification> {
  const result: Verification = { checked: 0, different: 0, differences: [] };
  const tell = (differences: readonly Difference[]) => {
    result.different += differences.length;
    result.differences.push(...differences.slice(0, TOLD - result.differences.length));
  };
  for await (const ids of eachBatchOfPeople(database)) {
    tell(await inTransaction(database, (connection) => verifyBatch(connection, ids), "repeatable read, read only"));
    result.checked += ids.length;
    onProgress(result.checked);
  }
  const strays = await listStrayOwners(database, TOLD);
  tell(strays.map((passport_id) => ({ passport_id, problem: "is found by a wallet that nobody lists" })));
  return result;
}

async function verifyBatch(connection: Connection, ids: readonly number[]): Promise<Difference[]> {
  await planLookUps(connection);
  const documents = compare(ids, await makeDocuments(connection, ids), await listDocuments(connection, ids));
  const wallets = await listWallets(connection, ids);
  const misled = new Set(
    await listMisledWallets(
      connection,
      wallets.map((wallet) => wallet.address),
    ),
  );
  const listing = new Set(wallets.filter((wallet) => misled.has(wallet.address)).map((wallet) => wallet.passport_id));
  return [
    ...documents,
    ...[...listing].map((passport_id) => ({ passport_id, problem: "lists a wallet that leads astray" })),
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
