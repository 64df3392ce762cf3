import { type Finding, notChecked, ok, problem } from "#core/terminal/check.ts";
import { quote } from "./finding-texts.ts";
import { isFromCache } from "./send.ts";
import { pageOf, pageUrl, randomPage, type Site } from "./site.ts";

/** What Credence sends with a response to a request without a key. */
const PUBLIC = /^public, max-age=([0-5]?\d|60), stale-while-revalidate=\d+, stale-if-error=\d+$/;

const KEY_ADVICE =
  "Use the complete request URI as the cache key, without sorting or parsing the query; for nginx: proxy_cache_key $scheme$host$request_uri.";

/** A shared cache must obey Cache-Control, and tell apart all URLs that differ. */
export async function checkCache(site: Site): Promise<Finding> {
  const { first, send } = site;
  const cacheControl = first.header("cache-control");
  if (cacheControl !== null && first.count("cache-control") === 1 && !PUBLIC.test(cacheControl)) {
    return problem(
      `Cache-Control is ${quote(cacheControl)}, which is not that of Credence`,
      "Remove the directive of the proxy that changes it, such as expires or add_header Cache-Control.",
    );
  }
  const [a, b] = [randomPage(), randomPage()];
  // The last of repeated parameters counts, and names are decoded.
  const requests: readonly (readonly [query: string, page: number])[] = [
    [`page=${a}&page=${b}`, b],
    [`page=${b}&page=${a}`, a],
    [`page=${a}`, a],
    [`%70age=${b}`, b],
  ];
  for (const [query, page] of requests) {
    const reply = await send(pageUrl(site, query));
    const received = pageOf(reply);
    if (received === null) return notChecked(`the response to ?${query} is ${reply.status}`);
    if (received !== page) return problem(`the response to ?${query} is page ${received}, not ${page}`, KEY_ADVICE);
  }
  return ok(
    (await hasSharedCache(site))
      ? "a shared cache keeps pages apart"
      : "no shared cache seen; queries arrive unchanged",
  );
}

async function hasSharedCache(site: Site): Promise<boolean> {
  const url = pageUrl(site, `page=${randomPage()}`);
  const earlier = await site.send(url);
  return isFromCache(await site.send(url), earlier);
}
