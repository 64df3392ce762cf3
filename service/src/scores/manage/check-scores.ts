import type { Connection, Database } from "#core/database/database.ts";
import type { Finding } from "#core/terminal/check.ts";
import { formatNumber } from "#core/terminal/output.ts";

export async function checkScores(database: Database): Promise<Finding> {
  const uneven = await findUnevenScores(database);
  if (uneven === null)
    return { state: "ok", finding: "not checked: this role may not read facts, and does not need to" };
  const { people, first } = uneven;
  if (people === 0) return { state: "ok", finding: "every overall score is the sum of its three parts" };
  return {
    state: "warning",
    finding: `people whose overall score is not the sum of its parts: ${formatNumber(people)} (${first.join(", ")}${people > first.length ? ", …" : ""})`,
    advice:
      "Correct if they were imported like this. `credence passport show ID` shows details; `credence passport recalculate` lets a worker fix it.",
    passport_ids: first,
  };
}

type UnevenScores = { people: number; first: number[] };

/**
 * The number of people whose overall score is not the sum of its parts, to a millionth of a point,
 * and the first twenty ids. Null if this role may not read facts. One scan of passport.
 */
async function findUnevenScores(connection: Connection): Promise<UnevenScores | null> {
  const { rows: rights } = await connection.query<{ may: boolean }>(
    "select has_table_privilege('passport', 'select') as may",
  );
  if (!rights[0]?.may) return null;
  // Most sums are equal as doubles. Only the others are compared as decimals, which is slow.
  const { rows } = await connection.query<UnevenScores>(
    `select count(*) as people, coalesce(to_json((array_agg(passport_id order by passport_id))[:20]), '[]') as first
     from passport
     where activity_score + identity_score + skills_score <> score
       and round((activity_score + identity_score + skills_score)::numeric, 6) <> round(score::numeric, 6)`,
  );
  return rows[0] ?? null;
}
