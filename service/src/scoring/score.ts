import type { Credential } from "@credence/contract/credential.ts";
import { MAX_SCORE } from "@credence/contract/fields.ts";
import type { Passport } from "@credence/contract/passport.ts";
import { type Points, sumPoints, toPoints, toScore } from "./points.ts";

export type Scores = Pick<Passport, "activity_score" | "identity_score" | "skills_score" | "score">;
/** The four, and nothing else that comes with them. */
export const scoresOf = ({ activity_score, identity_score, skills_score, score }: Scores): Scores => ({
  activity_score,
  identity_score,
  skills_score,
  score,
});

export type Scoring = Pick<Credential, "category" | "score" | "max_score">;

/** `uncounted` are the categories of credentials that count for nothing, each once. */
export type Scored = { scores: Scores & { score: number }; uncounted: string[] };

const CATEGORIES = ["Activity", "Identity", "Skills"] as const;

export const isCounted = (category: string): boolean => CATEGORIES.some((one) => one === category);

/** What a credential counts for: its score, but no more than it may. */
export const pointsOf = ({ score, max_score }: Pick<Scoring, "score" | "max_score">): Points =>
  toPoints(Math.min(score, max_score));

/**
 * Works out a person's scores from their credentials: a category's score is the sum of what its credentials count for, the overall
 * score the sum of the three. Counted in millionths of a point, so that the order of credentials changes nothing.
 */
export function scoreCredentials(credentials: readonly Scoring[]): Scored {
  const [activity, identity, skills] = CATEGORIES.map((category) =>
    sumPoints(credentials.filter((credential) => credential.category === category).map(pointsOf)),
  ) as [Points, Points, Points];
  const overall = toScore(sumPoints([activity, identity, skills]));
  // Far below what could no longer be counted exactly.
  if (overall > MAX_SCORE) throw new RangeError(`The credentials come to ${overall} points; V1 ends at 10^15.`);
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
