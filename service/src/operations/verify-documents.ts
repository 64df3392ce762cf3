import { type Database, inTransaction } from "#store/database.ts";
import { listDocuments, type StoredDocuments } from "#store/documents.ts";
import { eachBatchOfPeople } from "./each-batch.ts";
import { makeDocuments } from "./make-documents.ts";

export type Difference = { passport_id: number; problem: string };
export type Verification = { checked: number; different: number; differences: Difference[] };

/** How many differences are told one by one; the rest are counted. */
const TOLD = 100;

/** Compares every stored document, byte by byte, with what its facts give. Writes nothing. */
export async function verifyDocuments(database: Database, onProgress: (done: number) => void): Promise<Verification> {
  const result: Verification = { checked: 0, different: 0, differences: [] };
  for await (const ids of eachBatchOfPeople(database)) {
    const differences = await inTransaction(
      database,
      async (connection) => compare(ids, await makeDocuments(connection, ids), await listDocuments(connection, ids)),
      "repeatable read, read only",
    );
    result.checked += ids.length;
    result.different += differences.length;
    result.differences.push(...differences.slice(0, TOLD - result.differences.length));
    onProgress(result.checked);
  }
  return result;
}

function compare(ids: readonly number[], wanted: StoredDocuments[], stored: StoredDocuments[]): Difference[] {
  const wantedById = new Map(wanted.map((document) => [document.passport_id, document]));
  const storedById = new Map(stored.map((document) => [document.passport_id, document]));
  return ids.flatMap((passport_id) => {
    const problem = describeDifference(wantedById.get(passport_id), storedById.get(passport_id));
    return problem === null ? [] : [{ passport_id, problem }];
  });
}

function describeDifference(wanted: StoredDocuments | undefined, stored: StoredDocuments | undefined): string | null {
  if (wanted === undefined) return stored === undefined ? null : "has documents, but should have none";
  if (stored === undefined) return "has no documents";
  const fields = Object.keys(wanted) as (keyof StoredDocuments)[];
  const different = fields.filter((field) => wanted[field] !== stored[field]);
  return different.length === 0 ? null : `differs in ${different.join(", ")}`;
}
