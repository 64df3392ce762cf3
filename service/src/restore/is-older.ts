import type { Connection } from "#core/database/database.ts";
import { isKnownFile } from "./list-protections.ts";
import type { ProtectionsHeader } from "./protections-file.ts";

export const olderThan = (path: string): string => `This database is older than "${path}".`;

/** Whether this database may lack changes that the file contains: it has neither written nor imported it. */
export async function isOlderThan(connection: Connection, header: ProtectionsHeader | null): Promise<boolean> {
  return header !== null && !(await isKnownFile(connection, header.file_id));
}
