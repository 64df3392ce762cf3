import { SEARCH_POINTS } from "#v1/v1-points.ts";
import { type CompareQuery, readCompareQuery } from "./pages/compare-query.ts";

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

/** As many pages as people. A name to add is a search. */
export const COMPARED_PERSON_POINTS = 8;

/** The points of a page or its files; undefined for another route. A leaderboard with a keyword is a search. */
export function explorerPoints(route: string, query: CompareQuery): number | undefined {
  if (route === "/leaderboard" && query.keyword?.trim()) return SEARCH_POINTS;
  if (route === "/compare") {
    const { texts, added } = readCompareQuery(query);
    return COMPARED_PERSON_POINTS * Math.max(1, texts.length) + (added === "" ? 0 : SEARCH_POINTS);
  }
  return PAGE_POINTS[route];
}
