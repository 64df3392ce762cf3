/**
 * The substrings of a folded keyword to ask the gram index for: its runs of three code points, or the whole keyword when
 * it is shorter. Mirrors the SQL function `grams`, which indexes all runs of one to three.
 */
export function gramsToAsk(folded: string): string[] {
  const points = [...folded];
  if (points.length <= 3) return [folded];
  return [...new Set(points.slice(2).map((_, at) => points.slice(at, at + 3).join("")))];
}
