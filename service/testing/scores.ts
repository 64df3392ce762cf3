import type { Database } from "#core/database/database.ts";

/** Counts the people whose scores are not the decimal sums of their credentials. */
export async function countWrongScores(database: Database): Promise<number> {
  const { rows } = await database.query<{ wrong: number }>(
    `with counted as (
       select passport_id, category, round(sum(round(least(score, max_score)::numeric, 6)), 6) as points
       from credential where category in ('Activity', 'Identity', 'Skills') group by passport_id, category
     ),
     scored as (
       select passport_id, coalesce(sum(points), 0) as score,
         coalesce(sum(points) filter (where category = 'Activity'), 0) as activity,
         coalesce(sum(points) filter (where category = 'Identity'), 0) as identity,
         coalesce(sum(points) filter (where category = 'Skills'), 0) as skills
       from passport left join counted using (passport_id) group by passport_id
     )
     select count(*) as wrong from passport join scored using (passport_id)
     where (passport.score::numeric, activity_score::numeric, identity_score::numeric, skills_score::numeric)
       is distinct from (scored.score, activity, identity, skills)`,
  );
  return rows[0]?.wrong ?? -1;
}

/** Counts the people with `calculating_score: true` in V1. */
export async function countFlagged(database: Database): Promise<number> {
  const { rows } = await database.query<{ flagged: number }>(
    `select count(*) as flagged from passport_document where strpos(body, '"calculating_score":true') > 0`,
  );
  return rows[0]?.flagged ?? -1;
}
