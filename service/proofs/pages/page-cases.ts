import { HOSTILE } from "./hostile-people.ts";

/** The servers that the cases need, by their state. */
export type ServerName = "active" | "brownout" | "gone" | "limited" | "empty" | "unavailable" | "off";

const EVM = `0x${"a1".repeat(20)}`;
const SOLANA = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";

export type PageCase = { name: string; server: ServerName; path: string; status: number };

const on = (server: ServerName, status: number, cases: Record<string, string>): PageCase[] =>
  Object.entries(cases).map(([name, path]) => ({ name, server, path, status }));

// The ids of the demo's people: see service/src/demo/invent/odd-people.ts.
export const PAGE_CASES: readonly PageCase[] = [
  ...on("active", 200, {
    home: "/",
    leaderboard: "/leaderboard",
    "leaderboard-page": "/leaderboard?page=4",
    "leaderboard-filter": "/leaderboard?keyword=silva",
    "leaderboard-nobody": "/leaderboard?keyword=zzzzz",
    "leaderboard-marked": "/leaderboard?rank=88",
    "leaderboard-five-digits": "/leaderboard?page=494",
    "leaderboard-seven-digits": "/leaderboard?page=49383",
    "leaderboard-end": "/leaderboard?rank=9999999",
    search: "/search?q=silva",
    "search-nobody": "/search?q=zzzzz",
    "search-wallet": `/search?q=0x${"00".repeat(20)}`,
    "search-empty": "/search",
    passport: "/passports/93",
    "passport-first": "/passports/1",
    "passport-no-name": "/passports/2",
    "passport-right-to-left": "/passports/3",
    "passport-hostile-name": "/passports/9",
    "passport-invisible-name": "/passports/11",
    "passport-long-name": "/passports/12",
    "passport-no-credentials": "/passports/13",
    "passport-40-credentials": "/passports/14",
    "passport-ten-wallets": "/passports/15",
    "passport-no-wallet": "/passports/17",
    "passport-merged": "/passports/19",
    "passport-merged-unknown": "/passports/20",
    "passport-no-score": "/passports/21",
    "passport-parts": "/passports/22",
    "passport-calculating": "/passports/25",
    "passport-no-date": "/passports/26",
    compare: "/compare?ids=93+142",
    "compare-four": "/compare?ids=3+12+21+169",
    "compare-unknown": "/compare?ids=93+99999",
    "compare-hostile": `/compare?ids=${[HOSTILE.script, HOSTILE.bidi, HOSTILE.long].join("+")}`,
    "compare-add": "/compare?ids=1&with=adams",
    "compare-nobody": "/compare?with=zzzzz",
    "compare-empty": "/compare",
    "hostile-script": `/passports/${HOSTILE.script}`,
    "hostile-direction": `/passports/${HOSTILE.bidi}`,
    "hostile-length": `/passports/${HOSTILE.long}`,
    "hostile-links": `/passports/${HOSTILE.links}`,
    "hostile-bars": `/passports/${HOSTILE.bars}`,
    "hostile-many": `/passports/${HOSTILE.many}`,
    "hostile-search": "/search?q=%3Cscript%3E",
    holder: "/holder",
    "holder-text": `/holder?wallet=${EVM}&want=erase`,
    "holder-text-solana": `/holder?wallet=${SOLANA}&want=hide`,
    about: "/about",
    docs: "/docs",
    deprecation: "/deprecation",
  }),
  ...on("active", 400, {
    "holder-wrong-wallet": "/holder?wallet=%3Cscript%3E&want=hide",
    "holder-wrong-wish": `/holder?wallet=${EVM}&want=see`,
  }),
  ...on("active", 404, {
    "not-found": "/nothing",
    "passport-unknown": "/passports/4711",
    "holder-unknown-request": `/holder/requests/${"0".repeat(32)}`,
    "past-end": "/leaderboard?page=999999",
  }),
  ...on("brownout", 200, {
    "brownout-home": "/",
    "brownout-passport": "/passports/93",
    "brownout-notice": "/deprecation",
  }),
  ...on("gone", 410, { "gone-home": "/", "gone-passport": "/passports/93" }),
  ...on("gone", 200, { "gone-notice": "/deprecation", "gone-docs": "/docs", "gone-holder": "/holder" }),
  ...on("limited", 429, { "rate-limited": "/search?q=ada" }),
  ...on("empty", 200, { "empty-home": "/", "empty-leaderboard": "/leaderboard" }),
  ...on("unavailable", 503, { unavailable: "/passports/93" }),
  // It looks like V1 under another prefix.
  ...on("off", 400, { "off-passport": "/passports/93" }),
  ...on("off", 200, { "off-about": "/about", "off-holder": "/holder" }),
];
