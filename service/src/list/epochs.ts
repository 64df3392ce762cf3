import { type Connection, queryValue } from "#core/database/database.ts";
import { codeOf, UNDEFINED_TABLE } from "#core/database/failures.ts";

export type Epoch = {
  epoch: number;
  total: number;
  built_at: Date;
  build_ms: number;
  people_change: number;
  /** By the database's clock. The build began then. */
  age_seconds: number;
};

/** The highest epoch is the current one: its row is committed with its tables. */
export async function findCurrentEpoch(connection: Connection): Promise<Epoch> {
  const { rows } = await connection.query<Epoch>({
    name: "current-epoch",
    text: `select epoch, total, built_at, build_ms, people_change,
        greatest(0, extract(epoch from clock_timestamp() - built_at))::double precision as age_seconds
      from standing_epoch order by epoch desc limit 1`,
  });
  const current = rows[0];
  if (current === undefined) throw noStanding();
  return current;
}

/** How the scores of the list are distributed. */
type Distribution = {
  /** The width of a bin in points. */
  step: number;
  /** People in 20 bins from 0 on, and in one for the rest. */
  bins: readonly number[];
  /** The score that 1 %, 2 %, … 99 % of the scores do not exceed. */
  cuts: readonly number[];
};

export type ListInfo = {
  epoch: number;
  total: number;
  builtAt: Date;
  /** Null: no person has a date. */
  newestScoreAt: Date | null;
  oldestScoreAt: Date | null;
  /** Null with fewer than 20 scores. */
  distribution: Distribution | null;
};

/** What pages say about the current standing as a whole. */
export async function findListInfo(connection: Connection): Promise<ListInfo> {
  const { rows } = await connection.query<
    Omit<ListInfo, "distribution"> & { [Key in keyof Distribution]: Distribution[Key] | null }
  >({
    name: "list-info",
    text: `select epoch, total, built_at as "builtAt", newest_score_at as "newestScoreAt", oldest_score_at as "oldestScoreAt",
        score_step as step, score_bins as bins, score_cuts as cuts
      from standing_epoch order by epoch desc limit 1`,
  });
  if (rows[0] === undefined) throw noStanding();
  const { step, bins, cuts, ...info } = rows[0];
  return { ...info, distribution: step === null || bins === null || cuts === null ? null : { step, bins, cuts } };
}

const noStanding = (): Error => new Error("There is no list yet. Run `credence standing refresh`.");

/** How many people the current standing has, and its age by the database's clock. */
export async function findListAge(connection: Connection): Promise<{ people: number; age_seconds: number }> {
  const { rows } = await connection.query<{ people: number; age_seconds: number }>(
    `select total as people, extract(epoch from now() - built_at)::double precision as age_seconds
     from standing_epoch order by epoch desc limit 1`,
  );
  if (rows[0] === undefined) throw noStanding();
  return rows[0];
}

/** True if people have changed since the build of the current epoch began. */
export async function isStandingBehind(connection: Connection): Promise<boolean> {
  return (
    (await queryValue<boolean>(
      connection,
      `select people_change <> (select number from people_change) as behind
     from standing_epoch order by epoch desc limit 1`,
    )) ?? true
  );
}

/**
 * The age in seconds of the first change of people that is not in the list yet, by the database's
 * clock; 0 if there is none. The changes during a build count from its begin, which is `built_at`.
 */
export async function findUnlistedSeconds(connection: Connection): Promise<number> {
  return (
    (await queryValue<number | null>(
      connection,
      `select extract(epoch from clock_timestamp() - greatest(built_at, unlisted_since))::float
       from people_change, (select built_at, people_change from standing_epoch order by epoch desc limit 1) as current
       where people_change.number <> current.people_change`,
    )) ?? 0
  );
}

/** SQL: the people of the standing. A person who is shown has a document. */
export const LISTED = "person join passport_document using (passport_id) where not merged";

export const epochTable = (epoch: number): string => `standing_${Math.trunc(epoch)}`;
/** Tables for keyword search: see standing-search.ts. */
export const namesTable = (epoch: number): string => `${epochTable(epoch)}_names`;
export const keywordsTable = (epoch: number): string => `${epochTable(epoch)}_keywords`;
export const epochTables = (epoch: number): string[] => [epochTable(epoch), namesTable(epoch), keywordsTable(epoch)];

/**
 * Reads from the current epoch. If two switches overtake the reader, its table is gone, and it
 * reads once more from the new epoch: a result always comes from one epoch.
 */
export async function readCurrentEpoch<Result>(
  connection: Connection,
  read: (epoch: Epoch) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(await findCurrentEpoch(connection));
  } catch (error) {
    if (codeOf(error) !== UNDEFINED_TABLE) throw error;
    return await read(await findCurrentEpoch(connection));
  }
}

export type Place = { rank: number; score: number | null };

/**
 * The place of a person in an epoch, and the score that it is for; null if they are not in it. By its
 * index. The body may have a later score.
 */
export async function findPlace(connection: Connection, epoch: number, passportId: number): Promise<Place | null> {
  const { rows } = await connection.query<Place>(
    `select rank, score from ${epochTable(epoch)} where passport_id = $1`,
    [passportId],
  );
  return rows[0] ?? null;
}

/** `items` are JSON, with commas between them. `ranks` is null if nobody was removed from the range. */
export type StandingPage = { items: string; ranks: number[] | null };

/**
 * SQL: all bodies as one text; people who were removed since the build have none. As rows or as an
 * array, the driver needs four times as long to read them.
 */
export const JOINED_BODIES = "coalesce(string_agg(body, ',' order by rank), '')";

/**
 * A range of ranks, by the primary key. Not a named statement: one per epoch would stay on each
 * connection.
 */
export async function findStandingPage(
  connection: Connection,
  epoch: number,
  firstRank: number,
  lastRank: number,
): Promise<StandingPage> {
  const { rows } = await connection.query<StandingPage>(
    `select ${JOINED_BODIES} as items,
       case when max(rank) - $1 + 1 > count(body) then array_agg(rank order by rank) filter (where body is not null) end as ranks
     from ${epochTable(epoch)} where rank between $1 and $2`,
    [firstRank, lastRank],
  );
  return rows[0] as StandingPage;
}
