import type { Breakage, ProxyRequest, ProxyResponse } from "./breaking-proxy.ts";

// biome-ignore lint/suspicious/noExplicitAny: breakages modify any part of a body.
type Json = Record<string, any>;

const LIST = /^\/api\/v1\/passports(\?|$)/;
const SINGLE = /^\/api\/v1\/passports\/[^?]/;
const CREDENTIALS = /^\/api\/v1\/passport_credentials/;

/** Replaces the body of every 200 on these paths. */
const replaceBody = (paths: RegExp, replace: (body: Json) => unknown): Breakage => ({
  changeResponse: (response, { path, method }) => {
    if (response.status !== 200 || method !== "GET" || !paths.test(path)) return;
    response.body = JSON.stringify(replace(JSON.parse(response.body)));
  },
});

/** Modifies the body of every 200 on these paths. */
const changeBody = (paths: RegExp, change: (body: Json) => unknown): Breakage =>
  replaceBody(paths, (body) => {
    change(body);
    return body;
  });

type When = (response: ProxyResponse, request: ProxyRequest) => boolean;

const always: When = () => true;
const onPath =
  (pattern: RegExp): When =>
  (_, { path }) =>
    pattern.test(path);
const onStatus =
  (status: number): When =>
  (response) =>
    response.status === status;

const setHeader = (name: string, value: string | undefined, when: When): Breakage => ({
  changeResponse: (response, request) => {
    if (when(response, request)) response.headers[name] = value;
  },
});

const removeHeader = (name: string, when: When): Breakage => setHeader(name, undefined, when);

const setStatus = (status: number, when: When): Breakage => ({
  changeResponse: (response, request) => {
    if (when(response, request)) response.status = status;
  },
});

const replaceInHeader = (name: string, text: string, replacement: string): Breakage => ({
  changeResponse: ({ headers }) => (headers[name] = String(headers[name]).replace(text, replacement)),
});

const replaceInPath = (pattern: RegExp, replacement: string): Breakage => ({
  changeRequest: (request) => {
    request.path = request.path.replace(pattern, replacement);
  },
});

const eachPassport = (change: (passport: Json) => void) => changeBody(LIST, (body) => body.passports.forEach(change));
const changeDetail = (change: (passport: Json) => void) => changeBody(SINGLE, (body) => change(body.passport));
const eachSocial = (change: (social: Json) => void) =>
  changeDetail((passport) => passport.passport_socials.forEach(change));
const eachCredential = (change: (credential: Json) => void) =>
  changeBody(CREDENTIALS, (body) => body.passport_credentials.forEach(change));
const changePagination = (change: (pagination: Json) => void) => changeBody(LIST, (body) => change(body.pagination));

/** The main wallets in the lists that the proxy has forwarded. */
const MAIN_WALLETS = new Set<string>();

/** One fault for each clause. The clause must detect it. */
export const BREAKAGES: Record<string, Breakage> = {
  "list-response": setHeader("content-type", "text/html", onPath(LIST)),
  "passport-response": setStatus(203, onPath(SINGLE)),
  "credentials-response": setHeader("content-type", "text/plain", onPath(CREDENTIALS)),
  "list-body": replaceBody(LIST, (body) => ({ ...body, passports: null })),
  "single-body": replaceBody(SINGLE, ({ passport }) => passport),
  "credentials-body": replaceBody(CREDENTIALS, ({ passport_credentials }) => ({
    passport_credentials: { 0: passport_credentials },
  })),
  "single-only-passport": replaceBody(SINGLE, (body) => ({ ...body, meta: {} })),
  "list-without-detail": eachPassport((passport) => (passport.merged = false)),
  "no-extra-fields": eachCredential((credential) => (credential.points = 1)),
  "passport-fields": eachPassport((passport) => delete passport.score),
  "detail-fields": changeDetail((passport) => delete passport.merged),
  "profile-fields": eachPassport((passport) => delete passport.passport_profile.tags),
  "social-fields": eachSocial((social) => delete social.source),
  "credential-fields": eachCredential((credential) => delete credential.max_score),
  "pagination-fields": changePagination((pagination) => delete pagination.total),
  "passport-types": eachPassport((passport) => (passport.connections_count = String(passport.connections_count))),
  "detail-types": changeDetail((passport) => (passport.merged = "no")),
  "profile-types": eachPassport((passport) => (passport.passport_profile.tags = "developer")),
  "social-types": eachSocial((social) => (social.follower_count = 1024)),
  "credential-types": eachCredential((credential) => (credential.last_calculated_at = "yesterday")),
  "pagination-types": changePagination((pagination) => (pagination.last_page = 1.5)),
  "field-order": eachPassport((passport) => {
    const { activity_score, ...rest } = passport;
    for (const key of Object.keys(passport)) delete passport[key];
    Object.assign(passport, rest, { activity_score });
  }),
  "never-null": eachPassport((passport) => (passport.skills_score = null)),
  "plain-numbers": {
    changeResponse: (response) =>
      (response.body = response.body.replace(/"skills_score":[\d.]+/, '"skills_score":1e-7')),
  },
  timestamps: eachCredential((credential) => (credential.last_calculated_at = "2024-07-29T15:51:28Z")),
  "wallets-lower-case": eachPassport(
    (passport) =>
      (passport.verified_wallets = passport.verified_wallets.map((wallet: string) =>
        wallet.toUpperCase().replace("0X", "0x"),
      )),
  ),
  "list-sorted": changeBody(LIST, (body) => body.passports.push(body.passports.shift())),
  "keyword-filters": replaceInPath(/keyword=[^&]*/, ""),
  "sort-descending": changeBody(LIST, (body) => body.passports.reverse()),
  "pages-continue": replaceInPath(/page=2$/, "page=1"),
  "page-invalid": replaceInPath(/page=abc/, "page=2"),
  "page-past-end": setStatus(404, onPath(/page=99999999/)),
  "per-page": replaceInPath(/per_page=1000/, "per_page=50"),
  "last-page": changePagination((pagination) => (pagination.last_page += 1)),
  "keyword-folds": replaceInPath(/keyword=([^a-z]*)$/, "keyword=zzz"),
  "keyword-blank": replaceInPath(/keyword=%20%20/, "keyword=a"),
  "keyword-literal": replaceInPath(/keyword=_/, "keyword=a"),
  "keyword-long": replaceInPath(/keyword=x+/, "keyword=a"),
  "keyword-invalid-bytes": setStatus(500, onPath(/keyword=%00/)),
  "passport-identity": replaceInPath(/passports\/\d+$/, "passports/2"),
  "passport-by-wallet": replaceInPath(/passports\/0x\w+/, "passports/2"),
  "unknown-finds-none": replaceInPath(/passports\/9007199254740991/, "passports/2"),
  "credentials-belong": replaceInPath(/passport_id=\d+/, "passport_id=14"),
  "verified-wallet": {
    changeRequest: (request) => {
      // Only the wallets that the list shows as main wallets are found.
      if (/passports\/0x/.test(request.path) && !MAIN_WALLETS.has(request.path.slice(-42)))
        request.path = "/api/v1/passports/x";
    },
    changeResponse: (response, { path }) => {
      if (LIST.test(path))
        for (const [, wallet] of response.body.matchAll(/"main_wallet":"(\w+)"/g)) MAIN_WALLETS.add(String(wallet));
    },
  },
  "unknown-is-404": {
    changeResponse: (response) => (response.body = response.body.replace("Resource not found.", "Not found.")),
  },
  "id-not-coerced": replaceInPath(/passports\/(\d+)e0/, "passports/$1"),
  "id-malformed": setStatus(400, onPath(/passports\/%zz/)),
  "id-leading-zeros": replaceInPath(/passports\/00/, "passports/x"),
  "wallet-any-case": replaceInPath(/passports\/0x[^a-z]*$/, "passports/x"),
  "credentials-filter": replaceInPath(/passport_credentials$/, "passport_credentials?passport_id=14"),
  "credentials-order": changeBody(CREDENTIALS, (body) => body.passport_credentials.reverse()),
  "credentials-by-wallet": replaceInPath(/passport_id=0x/, "passport_id=x"),
  "key-optional": setStatus(500, (_, { headers }) => headers["x-api-key"] !== undefined),
  "bad-key": removeHeader("www-authenticate", onStatus(401)),
  "error-shape": {
    changeResponse: (response) => {
      if (response.status !== 404) return;
      response.headers["content-type"] = "text/html";
      response.body = "<h1>Not found</h1>";
    },
  },
  "errors-not-cached": setHeader("cache-control", "public, max-age=60", onStatus(405)),
  "target-too-long": setStatus(404, onStatus(414)),
  "other-methods": removeHeader("allow", always),
  "method-before-key": setStatus(
    401,
    (_, { method, headers }) => method === "DELETE" && headers["x-api-key"] !== undefined,
  ),
  "key-in-url": setStatus(401, onPath(/api_key=/)),
  "unknown-method": { parseErrorResponse: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" },
  head: removeHeader("etag", (_, { method }) => method === "HEAD"),
  preflight: setStatus(200, (_, { method }) => method === "OPTIONS"),
  "unknown-parameters": setStatus(400, onPath(/utm_source/)),
  "unknown-filter": setStatus(200, onPath(/score_gte/)),
  "duplicate-parameter": replaceInPath(/&per_page=1/, ""),
  slashes: replaceInPath(/passports\/$/, "passports/x"),
  deprecation: removeHeader("deprecation", onStatus(304)),
  "deprecation-link": replaceInHeader(
    "link",
    '; rel="deprecation"; type="text/html"',
    '; type="text/html"; rel="deprecation"',
  ),
  sunset: setHeader("sunset", "2027-12-31", always),
  "page-links": replaceInHeader("link", 'rel="last"', 'rel="end"'),
  "etag-weak": replaceInHeader("etag", "W/", ""),
  "not-modified": {
    changeRequest: ({ headers }) => headers["if-none-match"] === "*" && delete headers["if-none-match"],
  },
  repeatable: setHeader("etag", 'W/"another"', onPath(/page=1/)),
  "cache-control": setHeader("cache-control", "private, max-age=86400", onStatus(200)),
  vary: setHeader("vary", "Accept-Encoding", always),
  cors: removeHeader("access-control-allow-origin", onStatus(404)),
  "exposed-headers": removeHeader("access-control-expose-headers", always),
  "rate-limit-policy": setHeader("ratelimit-policy", "250", onStatus(404)),
  "rate-limit-shared": setHeader("ratelimit", '"anonymous";r=7;t=1', onStatus(200)),
  "switched-off": setStatus(410, onPath(/passports$/)),
  "brownout-ends": {
    changeResponse: (response) => {
      response.status = 410;
      response.body = JSON.stringify({ error: "off", code: "brownout" });
      response.headers["retry-after"] = "soon";
    },
  },
  "deprecation-target": setHeader("link", '</nowhere>; rel="deprecation"', always),
  "request-id": removeHeader("x-request-id", onStatus(405)),
};
