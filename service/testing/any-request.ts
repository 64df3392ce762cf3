import fc from "fast-check";
import { inventDemoPeople } from "#demo/invent/population.ts";

export const fuzzedPeople = inventDemoPeople();
const wallets = fuzzedPeople.flatMap(({ passport }) => passport.verified_wallets);
const names = fuzzedPeople.flatMap(({ passport }) => passport.passport_profile.display_name ?? []);

// Parts of a URL: mostly valid, often unusual, sometimes bytes that are not valid UTF-8.
const anyBytes = fc
  .array(fc.integer({ min: 0, max: 255 }), { maxLength: 12 })
  .map((bytes) => bytes.map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
const anyText = fc
  .string({ unit: "binary", maxLength: 30 })
  .filter((text) => text.isWellFormed())
  .map(encodeURIComponent);
const anyAscii = fc.stringMatching(/^[!-"$->@-~]{0,30}$/);
const anyNumber = fc
  .oneof(
    fc.integer({ min: -3, max: 250 }).map(String),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    fc.double().map(String),
    fc.constantFrom("1e3", "0x10", "1.0", "+1", "007", "%201", "９", ""),
  )
  .map(encodeURI);
const anyId = fc.oneof(
  { weight: 4, arbitrary: anyNumber },
  { weight: 3, arbitrary: fc.constantFrom(...wallets) },
  { weight: 1, arbitrary: fc.constantFrom(...wallets).map((wallet) => wallet.toUpperCase()) },
  anyText,
  anyAscii,
  anyBytes,
);
const anyKeyword = fc.oneof(
  fc
    .constantFrom(...names)
    .chain((name) =>
      fc
        .tuple(fc.nat(name.length), fc.nat(name.length))
        .map(([a, b]) => encodeURIComponent(name.slice(Math.min(a, b), Math.max(a, b)).toWellFormed())),
    ),
  anyText,
  anyBytes,
  fc.constantFrom("a", "%25", "_", "%5C", "%00", "%20"),
);
/** Parameters that V1 refuses. */
export const FILTERS = [
  "filter[x]",
  "score_gte",
  "minScore",
  "WALLET",
  "user-ids",
  "q",
  "passport_socials",
  "name%5B%5D",
];
const anyQuery = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom("page", "per_page"), anyNumber),
      fc.tuple(fc.constant("keyword"), anyKeyword),
      fc.tuple(fc.constant("passport_id"), anyId),
      fc.tuple(anyAscii, anyText),
      fc.tuple(fc.constantFrom(...FILTERS), anyText),
      fc.tuple(fc.constantFrom("api_key", "__proto__[x]", "keyword[]", "page[a][b]"), anyText),
    ),
    { maxLength: 5 },
  )
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`));
/** A path below a prefix of V1. */
const anyPath = fc.oneof(
  { weight: 5, arbitrary: fc.constant("/passports") },
  { weight: 8, arbitrary: anyId.map((id) => `/passports/${id}`) },
  { weight: 5, arbitrary: fc.constant("/passport_credentials") },
  { weight: 1, arbitrary: fc.tuple(anyAscii, anyBytes).map(([a, b]) => `/${a}${b}`) },
  { weight: 1, arbitrary: anyId.map((id) => `//passports//${id}//`) },
);
const anyMethod = fc.oneof(
  { weight: 12, arbitrary: fc.constant("GET") },
  fc.constantFrom("HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "PURGE"),
);
const headerValue = fc.stringMatching(/^[!-~]{0,40}$/);
const anyHeaders = fc.dictionary(
  fc.constantFrom(
    "if-none-match",
    "accept",
    "accept-encoding",
    "origin",
    "x-forwarded-for",
    "x-request-id",
    "range",
    "expect",
    "content-type",
    "cookie",
    "authorization",
    "if-modified-since",
  ),
  fc.oneof(
    headerValue,
    fc.constantFrom("*", 'W/"x", "y"', "bytes=0-1", "gzip;q=0", "application/json", "1.1.1.1, 2.2.2.2"),
  ),
  { maxKeys: 3 },
);
const anyKey = fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, headerValue);

/** A request to V1: mostly valid, often unusual. `path` is below a prefix of V1, with its query. */
const anyRequest = fc
  .tuple(anyMethod, anyPath, anyQuery, anyHeaders, anyKey)
  .map(([method, path, query, headers, key]) => ({
    method,
    path: path + query,
    headers: { ...headers, ...(key !== undefined && { "x-api-key": key }) },
  }));

/** A prefix of V1 as clients may write it: doubled slashes are ignored. */
export const doubleSlashes = (prefix: string, index: number): string =>
  index % 10 === 0 ? prefix.replaceAll("/", "//") : prefix;

/** The requests that one case sends in parallel. */
export const anyBatch = fc.array(anyRequest, { minLength: 20, maxLength: 20 });
