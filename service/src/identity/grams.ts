/** The runs of three code points in a folded keyword, each once. Mirrors the SQL function `grams`, by which names are indexed. */
export function gramsOf(folded: string): string[] {
  const points = [...folded];
  return [...new Set(points.slice(2).map((_, at) => points.slice(at, at + 3).join("")))];
}
