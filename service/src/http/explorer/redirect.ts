import type { Content } from "#http/respond/content.ts";

/** Not cached: a wallet may lead to another passport tomorrow. */
export const redirectTo = (location: string): Content => ({
  ...{ status: 302, body: "", type: "text/plain; charset=utf-8", caching: "no-store", isV1: false },
  headers: ["location", location],
});
