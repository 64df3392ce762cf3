import { createHash } from "node:crypto";
import type { Database } from "#core/database/database.ts";

/** What clients can see, who is hidden or erased, and which requests are open. */
export type Observation = {
  people: Record<string, "shown" | "hidden by holder" | "hidden by operator" | "erased">;
  keys: Record<string, { isRevoked: boolean; expires: number }>;
  /** People whose holder asked for it, and no worker has processed it. */
  hiding: number[];
  withdrawing: number[];
  /** People whose erasure waits for the end of its grace period. */
  erasing: number[];
};

const idOf = ({ passport_id }: { passport_id: number }): number => passport_id;

export async function observe(database: Database): Promise<Observation> {
  const { rows: people } = await database.query(
    `select passport_id, 'erased' as state from opt_out
     union all
     select passport_id,
       case when document.passport_id is not null then 'shown'
         when by_operator = false then 'hidden by holder' else 'hidden by operator' end
     from passport left join passport_document as document using (passport_id) left join holder_hide using (passport_id)`,
  );
  const { rows: keys } = await database.query("select key_id, revoked_at, expires_at from api_key");
  const { rows: open } = await database.query(
    "select passport_id, action, state, withdrawn_at from holder_request where completed_at is null",
  );
  return {
    hiding: open.filter(({ action, state }) => action === "hide" && state === "received").map(idOf),
    withdrawing: open.filter(({ withdrawn_at }) => withdrawn_at !== null).map(idOf),
    erasing: open
      .filter(({ action, state, withdrawn_at }) => action === "erase" && state === "waiting" && withdrawn_at === null)
      .map(idOf),
    people: Object.fromEntries(people.map(({ passport_id, state }) => [passport_id, state])),
    keys: Object.fromEntries(
      keys.map(({ key_id, revoked_at, expires_at }) => [
        key_id,
        { isRevoked: revoked_at !== null, expires: expires_at?.getTime() ?? Number.POSITIVE_INFINITY },
      ]),
    ),
  };
}

/** A digest of every table. */
export async function readAll(database: Database): Promise<Record<string, string>> {
  const { rows: tables } = await database.query(
    "select tablename from pg_tables where schemaname = 'public' order by 1",
  );
  const digests: Record<string, string> = {};
  for (const { tablename } of tables) {
    const { rows } = await database.query(`select stored_row::text as text from ${tablename} as stored_row order by 1`);
    digests[tablename] = createHash("sha256").update(JSON.stringify(rows)).digest("hex").slice(0, 16);
  }
  return digests;
}
