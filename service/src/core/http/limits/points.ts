import { listReferences, type PeopleQuery } from "#core/identity/reference.ts";

/**
 * What a request costs, in points. One point is about 50 µs of CPU, that of a look-up that is in no
 * cache. A test compares these numbers with the results of the bench.
 */
export const LOOK_UP_POINTS = 1;
/**
 * A search costs more than this. But the original service allowed 25 requests of any kind in 10
 * seconds, so no request may cost more than a 25th of the default limit.
 */
export const SEARCH_POINTS = 10;
/** Anything else: the reference, unknown paths, a refused key. */
export const OTHER_POINTS = 1;

/** A page of 1 costs 2 points, a page of 25 costs 4, a page of 100 costs 10. */
export const pagePoints = (perPage: number): number => Math.round(2 + perPage * 0.08);

/** The route of files of pages. */
export const ASSETS = "/assets/:name";

/** Pages whose HTML is built for each request, and their files. */
export const PAGE_POINTS: Readonly<Record<string, number>> = {
  "/": 8,
  "/leaderboard": 8,
  "/passports/:id": 8,
  "/search": SEARCH_POINTS,
  "/holder": 8,
  "/holder/requests": 8,
  "/holder/requests/state": 8,
  "/holder/requests/withdraw": 8,
  "/holder/requests/data": 8,
  "/holder/requests/receipt": 8,
  // Browsers cache them for ever. A page for a client over its limit needs them.
  [ASSETS]: 0,
};

/** A request of a holder: the check of its signature takes 3 ms. */
export const HOLDER_REQUEST_POINTS = 50;

/** As many pages as people. */
export const COMPARED_PERSON_POINTS = 8;

/** The points of a route outside V1. A leaderboard with a keyword is a search. */
export function otherPoints(method: string, route: string, query: { keyword?: string } & PeopleQuery): number {
  if (method === "POST" && route === "/holder/requests") return HOLDER_REQUEST_POINTS;
  if (route === "/leaderboard" && query.keyword?.trim()) return SEARCH_POINTS;
  if (route === "/compare") return COMPARED_PERSON_POINTS * Math.max(1, listReferences(query).length);
  return PAGE_POINTS[route] ?? OTHER_POINTS;
}
