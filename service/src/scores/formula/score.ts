import type { Credential } from "@credence/contract/credential.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { MAX_SCORE } from "@credence/contract/person-limits.ts";
import { type FixedPoint, sumFixedPoints, toFixedPoint, toScore } from "./fixed-point.ts";

export type Scores = Pick<Passport, "activity_score" | "identity_score" | "skills_score" | "score">;
/** Copies the four scores and no other property. */
export const scoresOf = ({ activity_score, identity_score, skills_score, score }: Scores): Scores => ({
  activity_score,
  identity_score,
  skills_score,
  score,
});

export type ScoredCredential = Pick<Credential, "category" | "score" | "max_score">;

/** `uncounted` lists the distinct categories that do not count. */
export type Scored = { scores: Scores & { score: number }; uncounted: string[] };

const CATEGORIES = ["Activity", "Identity", "Skills"] as const;

export const isCounted = (category: string): boolean => CATEGORIES.some((counted) => counted === category);

/** A credential counts with its score, at most its maximum score. */
export const pointsOf = ({ score, max_score }: Pick<ScoredCredential, "score" | "max_score">): FixedPoint =>
  toFixedPoint(Math.min(score, max_score));

/**
 * Calculates a person's scores. The score of a category is the sum of its credentials; the overall
 * score is the sum of the three categories.
 */
export function scoreCredentials(credentials: readonly ScoredCredential[]): Scored {
  const [activity, identity, skills] = CATEGORIES.map((category) =>
    sumFixedPoints(credentials.filter((credential) => credential.category === category).map(pointsOf)),
  ) as [FixedPoint, FixedPoint, FixedPoint];
  const overall = toScore(sumFixedPoints([activity, identity, skills]));
  // Integers are exact up to 9 * 10^15, so the sum is exact here.
  if (overall > MAX_SCORE) {
    throw new RangeError(`The sum of the credentials is ${overall} points; the maximum of V1 is 10^15.`);
  }
  const uncounted = credentials.map(({ category }) => category).filter((category) => !isCounted(category));
  return {
    scores: {
      activity_score: toScore(activity),
      identity_score: toScore(identity),
      skills_score: toScore(skills),
      score: overall,
    },
    uncounted: [...new Set(uncounted)],
  };
}
