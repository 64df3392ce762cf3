import { type Finding, notChecked, ok, problem, warning } from "#core/terminal/check.ts";
import { isFromCache } from "./send.ts";
import { pageUrl, randomPage, type Site } from "./site.ts";

const IGNORED_ADVICE =
  "Add the key to the cache key, or bypass the cache for requests with X-API-KEY; for nginx: proxy_cache_bypass $http_x_api_key; proxy_no_cache $http_x_api_key.";
const STORED_ADVICE =
  "Let the cache obey Cache-Control: no-store; for nginx, remove proxy_ignore_headers and `any` of proxy_cache_valid.";

/** Requests with an invalid key show whether keys arrive, and whether a cache ignores them. */
export async function checkKeys(site: Site): Promise<Finding> {
  const { send } = site;
  const keyed = { "x-api-key": "credence-doctor-not-a-key" };
  const cached = pageUrl(site, `page=${randomPage()}`);
  // A cache may store a response on the second request only.
  await send(cached);
  const anonymous = await send(cached);
  const fromCached = await send(cached, keyed);
  const cold = pageUrl(site, `page=${randomPage()}`);
  const unknown = await send(cold, keyed);

  const isRefused = unknown.status === 401;
  if (fromCached.status === 200 && (isRefused || isFromCache(fromCached, anonymous))) {
    return problem("a cached response is sent to a request with any key", IGNORED_ADVICE);
  }
  if (isRefused) {
    if (isFromCache(await send(cold, keyed), unknown)) {
      return problem("the response 401 to an invalid key is cached", STORED_ADVICE);
    }
    if ((await send(cold)).status === 401) {
      return problem("a request without a key gets the cached 401 of an invalid key", STORED_ADVICE);
    }
    return ok("an invalid key gets 401, and no cache stores it");
  }
  if (unknown.status !== 200) return notChecked(`the response to an invalid key is ${unknown.status}`);
  return checkArrival(site, keyed);
}

/**
 * An invalid key is accepted, either by AUTH_MODE=open or because it does not arrive. The
 * Cache-Control header of a 404 differs: `no-store` for a request with a key.
 */
async function checkArrival({ send, url }: Site, keyed: Record<string, string>): Promise<Finding> {
  const reply = await send(`${url}/api/v1/passports/doctor-${randomPage()}`, keyed);
  const cacheControl = reply.header("cache-control") ?? "";
  if (cacheControl === "no-store") return ok("AUTH_MODE is open: an unknown key counts as no key");
  if (cacheControl.startsWith("public")) {
    return problem("X-API-KEY does not arrive at Credence", "Let the proxy forward the header X-API-KEY unchanged.");
  }
  return warning(
    "an invalid key is accepted",
    "Correct if AUTH_MODE is open. Otherwise check that the proxy forwards the header X-API-KEY.",
  );
}
