import { SEARCH_POINTS } from "#v1/v1-points.ts";
import { type CompareQuery, listReferences } from "./pages/compare-query.ts";

/** The route of files of pages. */
export const ASSETS = "/assets/:name";

/** Pages whose HTML is built for each request, and their files. */
export const PAGE_POINTS: Readonly<Record<string, number>> = {
  "/": 8,
  "/leaderboard": 8,
  "/passports/:id": 8,
  "/search": SEARCH_POINTS,
  // Browsers cache them for ever. A page for a client over its limit needs them.
  [ASSETS]: 0,
};

/** As many pages as people. */
export const COMPARED_PERSON_POINTS = 8;

/** The points of a page or its files; undefined for another route. A leaderboard with a keyword is a search. */
export function explorerPoints(route: string, query: { keyword?: string } & CompareQuery): number | undefined {
  if (route === "/leaderboard" && query.keyword?.trim()) return SEARCH_POINTS;
  if (route === "/compare") return COMPARED_PERSON_POINTS * Math.max(1, listReferences(query).length);
  return PAGE_POINTS[route];
}
