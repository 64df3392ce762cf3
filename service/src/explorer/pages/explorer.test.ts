import { describe, expect, test } from "vitest";
import { explorerPoints } from "#explorer/explorer-points.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { hide, show } from "#testing/decide.ts";
import { credential, person } from "#testing/people.ts";
import { relayTo } from "#testing/relay.ts";
import { urlOf } from "#testing/server.ts";
import { serveDatabase, serving } from "#testing/serving.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const PEOPLE_PATHS = [
  ...["/", "/leaderboard", "/leaderboard?keyword=person", "/search?q=person", "/passports/1", "/compare?ids=1+2"],
];
const OTHER_PATHS = ["/about", "/docs", "/deprecation", "/robots.txt", "/favicon.ico"];
const WALLET = `0x${"ab".repeat(20)}`;
const OTHER_WALLET = `0x${"cd".repeat(20)}`;

const MANY = Array.from({ length: 40 }, (_, index) =>
  credential(`c${index}`, {
    score: index,
    max_score: 40,
    category: ["Activity", "Identity", "Skills"][index % 3] as string,
  }),
);

describe("the explorer", async () => {
  const people = [
    person(1, { main_wallet: WALLET, verified_wallets: [WALLET] }, { credentials: MANY }),
    ...Array.from({ length: 30 }, (_, index) => person(index + 2)),
    person(77, { display_name: "Hidden" }),
  ];
  const { address, name, database } = await serving(people, {
    environment: { OPERATOR_NAME: "Ops <b>", OPERATOR_CONTACT: "ops@v1.example", PRIVACY_URL: "https://v1.example/p" },
  });
  const load = async (path: string, { from = address, headers = {} }: { from?: string; headers?: object } = {}) => {
    const response = await fetch(from + path, { redirect: "manual", headers: { ...BROWSER, ...headers } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  test.each(PEOPLE_PATHS)("200: %s is a page with an ETag that shared caches may store; 304", async (path) => {
    const { status, headers, text } = await load(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toMatch(/^public, max-age=60,/);
    expect(headers.get("vary")).toContain("Accept-Encoding");
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self'; script-src 'self';/);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(text).toMatch(/<link rel="canonical" href="https:\/\/v1\.example\//);
    const again = await load(path, { headers: { "if-none-match": headers.get("etag") } });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  test.each(OTHER_PATHS)("200: %s", async (path) => {
    expect((await load(path)).status).toBe(200);
  });

  test("a page with 40 credentials has at most 15 KB compressed, the stylesheet 6 KB, the script 2 KB", async () => {
    const size = async (path: string, coding: string): Promise<number> => {
      const response = await fetch(address + path, { headers: { "accept-encoding": coding } });
      expect(response.headers.get("content-encoding")).toBe(coding);
      return Number(response.headers.get("content-length"));
    };
    const { text } = await load("/passports/1");
    const asset = (extension: string) => `/assets/${text.match(`explorer\\.[0-9a-f]{10}\\.${extension}`)?.[0]}`;
    for (const coding of ["br", "gzip"]) {
      expect(await size("/passports/1", coding)).toBeLessThan(15_000);
      expect(await size(asset("css"), coding)).toBeLessThan(6_000);
      expect(await size(asset("js"), coding)).toBeLessThan(2_000);
    }
  });

  test("a compressed page has the same content", async () => {
    const plain = await load("/passports/1", { headers: { "accept-encoding": "identity" } });
    const response = await fetch(`${address}/passports/1`, { headers: { "accept-encoding": "br" } });
    expect(response.headers.get("etag")).toBe(plain.headers.get("etag"));
    expect(await response.text()).toBe(plain.text);
  });

  test.each([
    ["/search?q=1", "/passports/1"],
    [`/search?q=%20${WALLET.toUpperCase().replace("X", "x")}%20`, "/passports/1"],
    [`/passports/${WALLET}`, "/passports/1"],
    ["/passports/001", "/passports/1"],
    [`/compare?ids=9&with=${WALLET}`, "/compare?ids=1+9"],
    ["/compare?ids=9+2+9+5+3+4", "/compare?ids=2+3+5+9"],
    ["/compare?9=on&2=on", "/compare?ids=2+9"],
    ["/compare?ids=9&with=person%2031", "/compare?ids=9+31"],
    [`/compare?ids=4711+2&with=0x${"00".repeat(20)}`, `/compare?ids=2+4711+0x${"00".repeat(20)}`],
    ["/leaderboard?rank=3", "/leaderboard#r3"],
    ["/leaderboard?rank=26", "/leaderboard?page=2#r26"],
    [`/leaderboard?keyword=${WALLET}`, "/leaderboard#r1"],
    ["/leaderboard?rank=%0d%0aX:1", "/leaderboard"],
  ])("302: %s leads to %s", async (path, location) => {
    const { status, headers } = await load(path);
    expect([status, headers.get("location")]).toEqual([302, location]);
  });

  test("a search finds names, and says that a name is not an identity", async () => {
    const { text } = await load("/search?q=PERSON&page=2");
    expect(text).toContain("31 people have “<bdi>PERSON</bdi>” in their name");
    expect(text).toContain("A name is not an identity: anyone can choose any name.");
    expect(text.match(/type="checkbox"/g)).toHaveLength(6);
    expect((await load("/search?q=zzz")).text).toContain("Nobody has “<bdi>zzz</bdi>” in their name");
    expect((await load(`/search?q=0x${"00".repeat(20)}`)).text).toContain("No passport lists this wallet");
    expect((await load("/search")).text).not.toContain("Nobody");
  });

  test("the leaderboard has numbered pages; 404: a page past the end", async () => {
    const { text } = await load("/leaderboard?page=2");
    expect(text).toContain("People 26 to 32 of 32");
    expect(text).toContain('<td role="cell" class="soft">26</td>');
    const past = await load("/leaderboard?page=9");
    expect(past.status).toBe(404);
    expect(past.text).toContain('The last page is <a href="/leaderboard?page=2">page 2</a>');
    const end = await load("/leaderboard?rank=33");
    expect([end.status, end.text.includes("There are 32 ranks. This is the last page.")]).toEqual([200, true]);
  });

  test("a page has the rank of the list, unless the score has changed since", async () => {
    expect((await load("/passports/3")).text).toMatch(/rank=3">3rd of 32<\/a>/);
    // All scores are equal, so none is lower.
    expect((await load("/passports/3")).text).not.toContain("Higher than");
    await savePeople(database, [person(3, { score: 60 })]);
    const changed = (await load("/passports/3")).text;
    expect(changed).toContain("60<small>points</small>");
    expect(changed).not.toContain(" of 32<");
    // A change of wallets changes the list's row at once, but not its rank.
    const wallets = { main_wallet: OTHER_WALLET, verified_wallets: [] };
    await savePeople(database, [person(4, wallets)]);
    await refreshStanding(database);
    await savePeople(database, [person(4, { score: 60 })]);
    expect((await load("/passports/4")).text).not.toContain(" of 32<");
    await savePeople(database, [person(3), person(4)]);
    await refreshStanding(database);
  });

  test("a merged record leads to its target, and names none that is not shown", async () => {
    const wallets = { main_wallet: OTHER_WALLET, verified_wallets: [OTHER_WALLET] };
    const merged = person(901, { ...wallets, merged: true });
    const target = person(902, { verified_wallets: [OTHER_WALLET], display_name: "Target" });
    await savePeople(database, [merged, target, person(903, { merged: true })]);
    expect((await load("/passports/901")).text).toContain('href="/passports/902">Open passport 902</a>');
    await hide(database, [902]);
    const [hidden, unknown] = await Promise.all([load("/passports/901"), load("/passports/903")]);
    for (const { text } of [hidden, unknown]) {
      expect(text).toContain("Merged into another record. The data does not say which.");
      expect(text).not.toContain("902");
    }
  });

  test("after a hide, home and leaderboard print the ranks of the list", async () => {
    await hide(database, [2]);
    const ranks = async (path: string, pattern: RegExp) =>
      [...(await load(path)).text.matchAll(pattern)].slice(0, 3).map(([, rank]) => Number(rank));
    expect(await ranks("/", /class="rank">(\d+)</g)).toEqual([1, 3, 4]);
    expect(await ranks("/leaderboard", /id="r(\d+)"/g)).toEqual([1, 3, 4]);
    await show(database, [2]);
    await refreshStanding(database);
  });

  test("404: a hidden and an unknown person look the same, and have no badge", async () => {
    const badge = async (id: number) => (await load(`/badge/${id}.svg`)).text;
    expect(await badge(77)).toContain("Passport score: 6, Jul 2024");
    await hide(database, [77]);
    await refreshStanding(database);
    const [hidden, unknown] = await Promise.all([load("/passports/77"), load("/passports/999")]);
    expect([hidden.status, unknown.status]).toEqual([404, 404]);
    expect(hidden.text).toContain("No passport is shown for 77");
    expect(hidden.text).toContain('href="/holder"');
    expect(hidden.text.replaceAll(/\b77\b/g, "999")).toBe(unknown.text);
    // Stored for a short time, in both forms, so that shared caches replace an older copy.
    const control = async (path: string, headers = {}) => (await load(path, { headers })).headers.get("cache-control");
    for (const accept of [BROWSER.accept, "*/*"]) {
      expect(await control("/passports/77?a=b", { accept })).toBe("public, max-age=30");
      expect((await load("/passports/77?a=b", { headers: { accept } })).text).not.toContain("a=b");
      expect(await control("/passports/77", { accept, "x-api-key": "a key" })).toBe("no-store");
      expect(await control("/nothing", { accept })).toBe("no-store");
    }
    expect(await badge(77)).toBe(await badge(999));
    expect(await badge(999)).toContain("not shown");
    const dark = (await load("/badge/1-dark.svg")).text;
    expect(dark).toContain('fill="#11181d"');
    expect(dark.replaceAll(/#[0-9a-f]+/g, "")).toBe((await load("/badge/1.svg")).text.replaceAll(/#[0-9a-f]+/g, ""));
    expect((await load("/search?q=hidden")).text).toContain("Nobody has");
  });

  test("compared people: unknown, hidden and other texts look the same", async () => {
    const { status, text } = await load("/compare?ids=2+3");
    expect(status).toBe(200);
    expect(text).toContain("Both have 6 points.");
    const plain = async (text: string) =>
      (await load(`/compare?ids=2+${encodeURIComponent(text)}`)).text.replaceAll(new RegExp(`\\b${text}\\b`, "g"), "X");
    expect(await plain("77")).toBe(await plain("4711"));
    for (const odd of ["it's", "a%b", "<b>"])
      for (const name of ["with", "ids"])
        expect((await load(`/compare?${name}=${encodeURIComponent(odd)}`)).status).toBe(200);
    expect((await load("/compare")).text).toContain('href="/compare?ids=1+2+3">The first three of the list</a>');
  });

  test("a name to compare with is searched for; one hit is added, several are listed, and it costs a search", async () => {
    const several = await load("/compare?ids=2&with=person%203");
    expect(several.status).toBe(200);
    expect(several.text).toContain("3 people have “<bdi>person 3</bdi>” in their name. Whom do you mean?");
    expect(several.text).toContain('href="/compare?ids=2+30"');
    expect((await load("/compare?with=zzz")).text).toContain("Nobody has “<bdi>zzz</bdi>” in their name");
    expect(explorerPoints("/compare", { ids: "2", with: "person 3" })).toBe(18);
    expect(explorerPoints("/compare", { ids: "2", with: "3" })).toBe(16);
    expect(explorerPoints("/compare", {})).toBe(8);
  });

  test("errors are pages for a browser and JSON for programs", async () => {
    const page = await load("/nothing");
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(page.text).toContain("There is no such page");
    expect(page.headers.get("vary")).toContain("Accept");
    const json = await load("/passports/999", { headers: { accept: "*/*" } });
    expect([json.status, JSON.parse(json.text).code]).toEqual([404, "not_found"]);
    expect(json.headers.get("vary")).toContain("Accept");
    const v1 = await load("/api/v1/passports/999");
    expect([v1.status, JSON.parse(v1.text).code]).toEqual([404, "not_found"]);
    expect(v1.headers.get("vary")).toBe("Accept-Encoding, X-API-KEY");
  });

  test("the about page and security.txt name the operator", async () => {
    const { text } = await load("/about");
    expect(text).toContain("<bdi>Ops &lt;b&gt;</bdi>");
    expect(text).toContain('href="mailto:ops@v1.example"');
    expect(text).toContain('href="https://v1.example/p"');
    const security = await load("/.well-known/security.txt");
    expect(security.text).toMatch(/^Contact: mailto:ops@v1\.example\nExpires: \d{4}-\d\d-\d\dT00:00:00\.000Z\n/);
    const anonymous = await serveDatabase(name);
    expect((await load("/.well-known/security.txt", { from: anonymous.address })).status).toBe(404);
  });

  test("EXPLORER_INDEX=on: pages may be listed by search engines", async () => {
    const { address: from } = await serveDatabase(name, { environment: { EXPLORER_INDEX: "on" } });
    for (const path of PEOPLE_PATHS.filter((path) => !path.startsWith("/compare")))
      expect((await load(path, { from })).text).not.toContain("noindex");
  });

  test.each([{ EXPLORER: "off" }, { AUTH_MODE: "required" }])("%j: no pages about people", async (environment) => {
    const { address: from } = await serveDatabase(name, { environment });
    const statuses = await Promise.all(PEOPLE_PATHS.map(async (path) => (await load(path, { from })).status));
    // A passport's page looks like V1 under another prefix.
    expect(statuses.toSorted()).toEqual([302, 400, 404, 404, 404, 404]);
    for (const path of OTHER_PATHS) expect((await load(path, { from })).status).toBe(200);
    const { text } = await load("/about", { from });
    expect(text).not.toContain("Leaderboard");
    expect((await load("/badge/1.svg", { from })).text).toContain("not shown");
  });

  test("in a brownout, pages work and say that the API is switched off", async () => {
    const { address: from } = await serveDatabase(name, {
      environment: { V1_SUNSET_AT: "2999-01-01", V1_BROWNOUTS: "2026-01-01T00:00:00Z/2998-01-01T00:00:00Z" },
    });
    expect((await load("/api/v1/passports/1", { from })).status).toBe(410);
    for (const path of [...PEOPLE_PATHS, "/about", "/docs"]) {
      const { status, text } = await load(path, { from });
      expect(status).toBe(200);
      expect(text).toContain("The API is off until");
      expect(text).not.toContain("still responds");
    }
  });

  test("410: pages about people after the sunset, without the database; the others stay", async () => {
    const relay = await relayTo(urlOf(name));
    const { address: from } = await serveDatabase(name, {
      environment: { V1_SUNSET_AT: "2026-01-01", V1_SUCCESSOR_URL: "https://v2.example/" },
      through: relay.through,
    });
    relay.set("cut");
    for (const path of PEOPLE_PATHS) {
      const { status, text, headers } = await load(path, { from });
      expect(status).toBe(410);
      expect(text).toContain("V1 has ended");
      expect(text).toContain('Its successor is <a href="https://v2.example/">');
      expect(text).not.toMatch(/Leaderboard|role="search"/);
      expect(headers.get("cache-control")).toBe("no-store");
    }
    for (const path of OTHER_PATHS) expect((await load(path, { from })).status).toBe(200);
    for (const path of ["/about", "/docs", "/deprecation", "/holder", "/nothing"]) {
      expect((await load(path, { from })).text).not.toMatch(/Leaderboard|role="search"|still responds/);
    }
    expect((await load("/badge/1.svg", { from })).text).toContain("not shown");
  });

  test("with a path in PUBLIC_URL, all links have it", async () => {
    const { address: from } = await serveDatabase(name, {
      environment: { PUBLIC_URL: "https://v1.example/some/path" },
    });
    for (const path of [...PEOPLE_PATHS, "/about", "/nothing"]) {
      const { text } = await load(path, { from });
      const links = [...text.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(([, link]) => link);
      expect(links.length).toBeGreaterThan(5);
      for (const link of links) expect(link).toMatch(/^\/some\/path\//);
    }
    expect((await load("/search?q=1", { from })).headers.get("location")).toBe("/some/path/passports/1");
  });

  test("429: a browser gets a page that says when to go on", async () => {
    const { address: from } = await serveDatabase(name, { environment: { RATE_LIMIT_ANONYMOUS: "10" } });
    expect((await load("/search?q=person", { from })).status).toBe(200);
    const { status, text, headers } = await load("/search?q=person", { from });
    expect(status).toBe(429);
    expect(text).toMatch(/Too many requests.*<b data-countdown="\d{4}-/s);
    expect(headers.get("retry-after")).not.toBeNull();
  });

  test("503: a browser gets a page while the database is unreachable", async () => {
    const relay = await relayTo(urlOf(name));
    const { address: from } = await serveDatabase(name, { through: relay.through });
    relay.set("cut");
    const { status, text } = await load("/passports/1", { from });
    expect(status).toBe(503);
    expect(text).toContain("This page cannot be shown right now");
  });
});
