/**
 * The grams by which a folded keyword is looked up: its runs of three code points, each once, or the whole of a shorter one. The SQL
 * function `grams`, by which names are indexed, makes all runs of one to three.
 */
export function gramsOf(folded: string): string[] {
  const points = [...folded];
  if (points.length < 3) return [folded];
  return [...new Set(points.slice(2).map((_, at) => points.slice(at, at + 3).join("")))];
}
