import { type Connection, queryValue } from "#core/database/database.ts";

// What waits for recalculation. All of it reads only the columns that the serving role may read.

/** `oldest_due_seconds` is 0 if nobody is due. */
export type Backlog = { due: number; oldest_due_seconds: number; set_aside: number };

export async function findBacklog(connection: Connection): Promise<Backlog> {
  return {
    due: await countDue(connection),
    oldest_due_seconds: await findOldestDueSeconds(connection),
    set_aside: await countSetAside(connection),
  };
}

export function countDue(connection: Connection): Promise<number> {
  return queryValue(connection, "select count(due_at) from recalculation_due");
}

/** How long the oldest entry has been due, by the database's clock; 0 if there is none. Uses the index recalculation_due_order. */
export function findOldestDueSeconds(connection: Connection): Promise<number> {
  return queryValue(
    connection,
    `select coalesce(greatest(0, extract(epoch from clock_timestamp() -
       (select due_at from recalculation_due order by due_at limit 1))), 0)::double precision`,
  );
}

export function countSetAside(connection: Connection): Promise<number> {
  return queryValue(connection, "select count(set_aside_at) from recalculation_set_aside");
}

/** How long the recalculation of all has been running, by the database's clock; 0 if none is. */
export function findRecalculationOfAllSeconds(connection: Connection): Promise<number> {
  return queryValue(
    connection,
    `select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(begun_at))), 0)::double precision
     from recalculation_of_all`,
  );
}
