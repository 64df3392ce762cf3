import type { Connection } from "#core/database/database.ts";

/** What this server last signed for mirrors. Times are those of the database. */
export type PublicationState = { signed_at: Date; signed_until: Date; age_seconds: number; now: Date };

/** Null if this server publishes nothing, or has not for so long that its mirrors have deleted everybody. */
export async function findPublicationState(connection: Connection): Promise<PublicationState | null> {
  const { rows } = await connection.query<PublicationState>(
    `select signed_at, signed_until, extract(epoch from now() - signed_at)::double precision as age_seconds, now() as now
     from publication where signed_at > now() - interval '30 days'`,
  );
  return rows[0] ?? null;
}
