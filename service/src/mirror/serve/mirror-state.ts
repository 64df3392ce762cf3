import type { Connection } from "#core/database/database.ts";

/** A server that follows a publisher. Times are seconds, by the database's clock. */
export type MirrorState = {
  /** The publisher's folder. */
  url: string;
  /** Until nobody is shown any more; 0 or less: nobody is shown. */
  fresh_seconds: number;
  /** Of the publisher's last signature. */
  latest_at: Date | null;
  /** Since the publisher's last signature; null before the first one. */
  age_seconds: number | null;
  held_people: number;
};

/**
 * Null for a server that is no mirror, or has taken over. A signature of more than ten minutes in the
 * future shows that a clock went back: nobody is shown.
 */
export async function findMirrorState(connection: Connection): Promise<MirrorState | null> {
  const { rows } = await connection.query<MirrorState>(
    `select url, coalesce(case
         when created_at is null or latest_at > now() + interval '10 minutes' then 0
         else extract(epoch from least(expires_at, latest_at + interval '6 hours') - now())
       end, 0)::double precision as fresh_seconds, latest_at,
       extract(epoch from now() - latest_at)::double precision as age_seconds, held_people
     from mirror_of where taken_over_at is null`,
  );
  return rows[0] ?? null;
}
