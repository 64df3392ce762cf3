import type { Database } from "#core/database/database.ts";
import type { Finding } from "#core/terminal/check.ts";
import { listExpiringKeys } from "./api-keys.ts";

const EXPIRES_SOON_DAYS = 14;

export async function checkKeys(database: Database): Promise<Finding> {
  const expiring = await listExpiringKeys(database, EXPIRES_SOON_DAYS);
  if (expiring.length === 0) return { state: "ok", finding: `no key expires in the next ${EXPIRES_SOON_DAYS} days` };
  const shown = expiring
    .slice(0, 5)
    .map(({ key_id, expires_at }) => `${key_id} on ${expires_at.toISOString().slice(0, 10)}`);
  return {
    state: "warning",
    finding: `keys that expire soon: ${shown.join(", ")}${expiring.length > shown.length ? ", …" : ""}`,
    advice:
      "Issue a successor with `credence keys rotate ID`, unless its owner has one. `credence keys list` shows contacts.",
  };
}
