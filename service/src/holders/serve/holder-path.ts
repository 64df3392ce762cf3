/** Whether a path belongs to the requests of holders: no other site may send or read anything there. */
export const isHolderPath = (url: string): boolean => /^\/+holder(?:[/?#]|$)/.test(url);

export const HOLDER_PAGE_POINTS = 8;
/** A request of a holder: the check of its signature takes 3 ms. */
export const HOLDER_REQUEST_POINTS = 50;

const SIGNED_ROUTES = ["/holder/requests", "/holder/demo-signature"];

/** The points of a route of holders; undefined for another route. */
export function holderPoints(method: string, route: string): number | undefined {
  if (!/^\/holder(?:\/|$)/.test(route)) return undefined;
  return method === "POST" && SIGNED_ROUTES.includes(route) ? HOLDER_REQUEST_POINTS : HOLDER_PAGE_POINTS;
}
