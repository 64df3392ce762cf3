import { LIMITS } from "@credence/contract/person-limits.ts";
import type { Connection } from "#core/database/database.ts";
import { listDocumentSizes } from "#people/facts/documents.ts";

const MAX_PART_BYTES = 16 * LIMITS.lineBytes;

/**
 * Splits people into parts that fit into memory, by the size of their documents: most people have a
 * few thousand bytes, some a million. Hidden people have no documents and count as the maximum.
 */
export async function splitBySize(connection: Connection, ids: readonly number[]): Promise<number[][]> {
  const sizes = await listDocumentSizes(connection, ids);
  const parts: number[][] = [];
  let room = 0;
  for (const id of ids) {
    const bytes = sizes.get(id) ?? LIMITS.lineBytes;
    if (bytes > room) {
      parts.push([]);
      room = MAX_PART_BYTES;
    }
    parts.at(-1)?.push(id);
    room -= bytes;
  }
  return parts;
}
