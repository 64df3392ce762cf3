import { LIMITS } from "@credence/contract/person.ts";
import type { Connection } from "#store/engine/database.ts";
import { listDocumentSizes } from "#store/people/documents.ts";

const MOST_BYTES = 16 * LIMITS.lineBytes;

/**
 * Cuts people into parts that can be read and written in one go. Most of them hold a few thousand bytes, some a million, and
 * their documents tell. Who has none, being hidden, is taken to hold as much as anybody can.
 */
export async function cutBySize(connection: Connection, ids: readonly number[]): Promise<number[][]> {
  const sizes = await listDocumentSizes(connection, ids);
  const parts: number[][] = [];
  let room = 0;
  for (const id of ids) {
    const bytes = sizes.get(id) ?? LIMITS.lineBytes;
    if (bytes > room) {
      parts.push([]);
      room = MOST_BYTES;
    }
    parts.at(-1)?.push(id);
    room -= bytes;
  }
  return parts;
}
