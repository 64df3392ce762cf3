/**
 * Returns the grams that a folded keyword is looked up by: its distinct runs of three code points,
 * or the keyword itself if it is shorter. Names are indexed by the SQL function `grams`, which
 * returns all runs of one to three code points.
 */
export function gramsOf(folded: string): string[] {
  const points = [...folded];
  if (points.length < 3) return [folded];
  return [...new Set(points.slice(2).map((_, index) => points.slice(index, index + 3).join("")))];
}
