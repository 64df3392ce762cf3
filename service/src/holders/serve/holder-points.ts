export const HOLDER_PAGE_POINTS = 8;

/** A request of a holder: the check of its signature takes 3 ms. */
export const HOLDER_REQUEST_POINTS = 50;

/** The points of a route of holders; undefined for another route. */
export function holderPoints(method: string, route: string): number | undefined {
  if (!/^\/holder(?:\/|$)/.test(route)) return undefined;
  return method === "POST" && route === "/holder/requests" ? HOLDER_REQUEST_POINTS : HOLDER_PAGE_POINTS;
}
