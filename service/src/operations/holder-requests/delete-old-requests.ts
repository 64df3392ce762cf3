import type { Connection } from "#store/engine/database.ts";
import { deleteExpiredExports, deleteOldRequests as deleteRequests } from "#store/holder-requests/requests.ts";

/** How long a closed request with its signature is kept, as proof of what the holder asked for. */
const KEPT_DAYS = 90;

export async function deleteOldRequests(connection: Connection): Promise<void> {
  await deleteExpiredExports(connection);
  await deleteRequests(connection, KEPT_DAYS);
}
