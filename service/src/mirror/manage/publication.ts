import { randomUUID } from "node:crypto";
import type { Latest } from "@credence/contract/snapshot.ts";
import { type Connection, queryValue } from "#core/database/database.ts";
import { SnapshotRefused } from "#core/files/refused.ts";
import type { ChangeCounters } from "#list/manage/change-counter.ts";
import { isMirror } from "#people/facts/mirror-state.ts";

export type Publication = { feed: string; continues: Date | null; snapshot: string | null } & {
  [Counter in keyof ChangeCounters]: number | null;
};

/** The feed of this server, created the first time. A mirror has none: its publisher decides who is shown. */
export async function openPublication(connection: Connection): Promise<Publication> {
  if (await isMirror(connection)) {
    throw new SnapshotRefused(
      "This server is a mirror, and publishes nothing.",
      "If its publisher has ended: credence mirror take-over",
    );
  }
  await connection.query("insert into publication (feed) values ($1) on conflict do nothing", [randomUUID()]);
  const { rows } = await connection.query<Publication>(
    "select feed, continues, snapshot, people_change, removals from publication",
  );
  return rows[0] as Publication;
}

export async function updatePublication(
  connection: Connection,
  snapshot: string,
  { people_change, removals }: ChangeCounters,
): Promise<void> {
  await connection.query("update publication set snapshot = $1, people_change = $2, removals = $3", [
    snapshot,
    people_change,
    removals,
  ]);
}

/** `latest` is null after the end of V1: mirrors wait for no further signature. */
export async function updateSigned(
  connection: Connection,
  latest: Pick<Latest, "at" | "expires_at"> | null,
): Promise<void> {
  await connection.query("update publication set signed_at = $1, signed_until = $2", [
    latest?.at ?? null,
    latest?.expires_at ?? null,
  ]);
}

/** When the transaction began, by the clock that counts for publishers and mirrors. */
export async function findTime(connection: Connection): Promise<Date> {
  return (await queryValue<Date>(connection, "select now()")) as Date;
}
