import type { Asked, Breakage, Told } from "./breaking-proxy.ts";

// biome-ignore lint/suspicious/noExplicitAny: the bodies are taken apart at will.
type Json = Record<string, any>;

const LIST = /^\/api\/v1\/passports(\?|$)/;
const SINGLE = /^\/api\/v1\/passports\/[^?]/;
const CREDENTIALS = /^\/api\/v1\/passport_credentials/;

/** Puts another body in place of every 200's on these paths. */
const newBody = (paths: RegExp, change: (body: Json) => unknown): Breakage => ({
  tell: (told, { path, method }) => {
    if (told.status !== 200 || method !== "GET" || !paths.test(path)) return;
    told.body = JSON.stringify(change(JSON.parse(told.body)));
  },
});

/** Changes something in the body of every 200 on these paths. */
const inBody = (paths: RegExp, change: (body: Json) => unknown): Breakage =>
  newBody(paths, (body) => {
    change(body);
    return body;
  });

const ifAsked = (question: RegExp, tell: (told: Told) => void): Breakage => ({
  tell: (told, { path }) => {
    if (question.test(path)) tell(told);
  },
});

const lose = (name: string, when: (told: Told, asked: Asked) => boolean = () => true): Breakage => ({
  tell: (told, asked) => {
    if (when(told, asked)) delete told.headers[name];
  },
});

const put = (name: string, value: string, when: (told: Told) => boolean): Breakage => ({
  tell: (told) => {
    if (when(told)) told.headers[name] = value;
  },
});

const tellStatus = (code: number, when: (told: Told, asked: Asked) => boolean): Breakage => ({
  tell: (told, asked) => {
    if (when(told, asked)) told.status = code;
  },
});

const askInstead = (from: RegExp, to: string): Breakage => ({
  ask: (asked) => {
    asked.path = asked.path.replace(from, to);
  },
});

const eachPassport = (change: (passport: Json) => void) => inBody(LIST, (body) => body.passports.forEach(change));
const theDetail = (change: (passport: Json) => void) => inBody(SINGLE, (body) => change(body.passport));
const eachSocial = (change: (social: Json) => void) =>
  theDetail((passport) => passport.passport_socials.forEach(change));
const eachCredential = (change: (credential: Json) => void) =>
  inBody(CREDENTIALS, (body) => body.passport_credentials.forEach(change));
const thePagination = (change: (pagination: Json) => void) => inBody(LIST, (body) => change(body.pagination));
const status = (code: number) => (told: Told) => {
  told.status = code;
};

/** What the proxy has seen as main wallets. */
const MAIN_WALLETS = new Set<string>();

/** For every clause, one way to break it. */
export const BREAKAGES: Record<string, Breakage> = {
  "list-answers": ifAsked(LIST, (told) => (told.headers["content-type"] = "text/html")),
  "passport-answers": ifAsked(SINGLE, status(203)),
  "credentials-answers": ifAsked(CREDENTIALS, (told) => (told.headers["content-type"] = "text/plain")),
  "list-body": newBody(LIST, (body) => ({ ...body, passports: null })),
  "single-body": newBody(SINGLE, ({ passport }) => passport),
  "credentials-body": newBody(CREDENTIALS, ({ passport_credentials }) => ({
    passport_credentials: { 0: passport_credentials },
  })),
  "single-alone": newBody(SINGLE, (body) => ({ ...body, meta: {} })),
  "list-without-detail": eachPassport((passport) => (passport.merged = false)),
  "no-extra-fields": eachCredential((credential) => (credential.points = 1)),
  "passport-fields": eachPassport((passport) => delete passport.score),
  "detail-fields": theDetail((passport) => delete passport.merged),
  "profile-fields": eachPassport((passport) => delete passport.passport_profile.tags),
  "social-fields": eachSocial((social) => delete social.source),
  "credential-fields": eachCredential((credential) => delete credential.max_score),
  "pagination-fields": thePagination((pagination) => delete pagination.total),
  "passport-types": eachPassport((passport) => (passport.connections_count = String(passport.connections_count))),
  "detail-types": theDetail((passport) => (passport.merged = "no")),
  "profile-types": eachPassport((passport) => (passport.passport_profile.tags = "developer")),
  "social-types": eachSocial((social) => (social.follower_count = 1024)),
  "credential-types": eachCredential((credential) => (credential.last_calculated_at = "yesterday")),
  "pagination-types": thePagination((pagination) => (pagination.last_page = 1.5)),
  "field-order": eachPassport((passport) => {
    const { activity_score, ...rest } = passport;
    for (const key of Object.keys(passport)) delete passport[key];
    Object.assign(passport, rest, { activity_score });
  }),
  "never-null": eachPassport((passport) => (passport.skills_score = null)),
  "plain-numbers": { tell: (told) => (told.body = told.body.replace(/"skills_score":[\d.]+/, '"skills_score":1e-7')) },
  moments: eachCredential((credential) => (credential.last_calculated_at = "2024-07-29T15:51:28Z")),
  "wallets-lower-case": eachPassport(
    (passport) =>
      (passport.verified_wallets = passport.verified_wallets.map((wallet: string) =>
        wallet.toUpperCase().replace("0X", "0x"),
      )),
  ),
  "list-sorted": inBody(LIST, (body) => body.passports.push(body.passports.shift())),
  "keyword-filters": askInstead(/keyword=[^&]*/, ""),
  "sort-descending": inBody(LIST, (body) => body.passports.reverse()),
  "pages-continue": askInstead(/page=2$/, "page=1"),
  "page-tolerant": askInstead(/page=abc/, "page=2"),
  "page-past-end": ifAsked(/page=99999999/, status(404)),
  "per-page": askInstead(/per_page=1000/, "per_page=50"),
  "last-page": thePagination((pagination) => (pagination.last_page += 1)),
  "keyword-folds": askInstead(/keyword=([^a-z]*)$/, "keyword=zzz"),
  "keyword-blank": askInstead(/keyword=%20%20/, "keyword=a"),
  "keyword-plain": askInstead(/keyword=_/, "keyword=a"),
  "keyword-long": askInstead(/keyword=x+/, "keyword=a"),
  "keyword-hostile": ifAsked(/keyword=%00/, status(500)),
  "passport-identity": askInstead(/passports\/\d+$/, "passports/2"),
  "passport-by-wallet": askInstead(/passports\/0x\w+/, "passports/2"),
  "nobody-is-nobody": askInstead(/passports\/9007199254740991/, "passports/2"),
  "credentials-belong": askInstead(/passport_id=\d+/, "passport_id=14"),
  "verified-wallet": {
    ask: (asked) => {
      // Main wallets are found, as the list shows them; others are not.
      if (/passports\/0x/.test(asked.path) && !MAIN_WALLETS.has(asked.path.slice(-42)))
        asked.path = "/api/v1/passports/x";
    },
    tell: (told, { path }) => {
      if (LIST.test(path))
        for (const [, wallet] of told.body.matchAll(/"main_wallet":"(\w+)"/g)) MAIN_WALLETS.add(String(wallet));
    },
  },
  "missing-is-404": { tell: (told) => (told.body = told.body.replace("Resource not found.", "Not found.")) },
  "id-not-coerced": askInstead(/passports\/(\d+)e0/, "passports/$1"),
  "id-odd": ifAsked(/passports\/%zz/, status(400)),
  "id-leading-zeros": askInstead(/passports\/00/, "passports/x"),
  "wallet-any-case": askInstead(/passports\/0x[^a-z]*$/, "passports/x"),
  "credentials-filter": askInstead(/passport_credentials$/, "passport_credentials?passport_id=14"),
  "credentials-order": inBody(CREDENTIALS, (body) => body.passport_credentials.reverse()),
  "credentials-by-wallet": askInstead(/passport_id=0x/, "passport_id=x"),
  "key-optional": tellStatus(500, (_, { headers }) => headers["x-api-key"] !== undefined),
  "bad-key": { ask: ({ headers }) => delete headers["x-api-key"] },
  "error-shape": {
    tell: (told) => {
      if (told.status !== 404) return;
      told.headers["content-type"] = "text/html";
      told.body = "<h1>Not found</h1>";
    },
  },
  "errors-not-kept": put("cache-control", "public, max-age=60", ({ status }) => status === 405),
  "target-too-long": tellStatus(404, ({ status }) => status === 414),
  "other-methods": lose("allow"),
  "method-before-key": tellStatus(
    401,
    (_, { method, headers }) => method === "DELETE" && headers["x-api-key"] !== undefined,
  ),
  "key-in-address": ifAsked(/api_key=/, status(401)),
  "unknown-method": { unreadable: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" },
  head: lose("etag", (_, { method }) => method === "HEAD"),
  preflight: tellStatus(200, (_, { method }) => method === "OPTIONS"),
  "unknown-parameters": ifAsked(/utm_source/, status(400)),
  "last-parameter": askInstead(/&per_page=1/, ""),
  slashes: { ask: (asked) => (asked.path = asked.path.replace(/passports\/$/, "passports/x")) },
  deprecation: lose("deprecation", ({ status }) => status === 304),
  "deprecation-link": {
    tell: (told) =>
      (told.headers.link = String(told.headers.link).replace(
        '; rel="deprecation"; type="text/html"',
        '; type="text/html"; rel="deprecation"',
      )),
  },
  sunset: { tell: (told) => (told.headers.sunset = "2027-12-31") },
  "page-links": { tell: (told) => (told.headers.link = String(told.headers.link).replace('rel="last"', 'rel="end"')) },
  "etag-weak": { tell: (told) => (told.headers.etag = String(told.headers.etag).replace("W/", "")) },
  "not-modified": { ask: ({ headers }) => headers["if-none-match"] === "*" && delete headers["if-none-match"] },
  stable: ifAsked(/page=1/, (told) => (told.headers.etag = 'W/"another"')),
  "cache-control": put("cache-control", "private, max-age=86400", ({ status }) => status === 200),
  vary: { tell: (told) => (told.headers.vary = "Accept-Encoding") },
  cors: lose("access-control-allow-origin", ({ status }) => status === 404),
  "exposed-headers": lose("access-control-expose-headers"),
  "request-id": lose("x-request-id", ({ status }) => status === 405),
};
