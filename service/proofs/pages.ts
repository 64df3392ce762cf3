import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "#core/database/database.ts";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { epochTable, findCurrentEpoch } from "#list/epochs.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { launchBrowser } from "#testing/launch-browser.ts";
import { type ProofServer, startServer, withProofDatabase } from "./harness.ts";
import {
  checkPage,
  NARROWEST,
  openTabs,
  PHONE,
  type SeenClasses,
  seenClasses,
  type Visit,
} from "./pages/check-page.ts";
import { inventHostilePeople } from "./pages/hostile-people.ts";
import { PAGE_CASES, type PageCase, type ServerName } from "./pages/page-cases.ts";

const WIDTHS = [PHONE, 820, 1280];
const THEMES = ["light", "dark"] as const;
/** Visits at the same time. */
const CONCURRENT = 2;

const FUTURE = { V1_SUNSET_AT: "2999-12-31" };
const HOLDER = { PUBLIC_URL: "https://credence.example", HOLDER_KEY: "a secret of at least thirty-two bytes" };
const ENVIRONMENTS: Record<ServerName, Record<string, string>> = {
  active: { ...FUTURE, ...HOLDER, OPERATOR_NAME: "Example operator", OPERATOR_CONTACT: "ops@v1.example" },
  brownout: { ...FUTURE, V1_BROWNOUTS: "2026-01-01T00:00:00Z/2998-01-01T00:00:00Z" },
  gone: { ...HOLDER, V1_SUNSET_AT: "2026-01-01" },
  limited: { RATE_LIMIT_ANONYMOUS: "10" },
  empty: {},
  // Nothing listens there.
  unavailable: { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" },
  off: { EXPLORER: "off" },
};

/**
 * Opens every page in every state and checks it. `share` 1: at all widths, in both themes, with
 * pictures in `build/pages`. Less: each state once, with widths and themes spread over them, and
 * the slow checks once for each kind of page.
 */
export async function provePages(share: number) {
  return withProofDatabase(({ url, database }) =>
    withProofDatabase(async (empty) => {
      await savePages(database);
      await refreshStanding(empty.database);
      const servers = new Map<ServerName, ProofServer>();
      const browser = await launchBrowser();
      try {
        for (const [name, environment] of Object.entries(ENVIRONMENTS)) {
          const server = await startServer(name === "empty" ? empty.url : url, environment);
          servers.set(name as ServerName, server);
        }
        const seen = seenClasses();
        const visits = await planVisits(servers, share, seen);
        const queue = visits.values();
        const work = async () => {
          const tabs = await openTabs(browser);
          for (const visit of queue) await checkPage(tabs, visit);
        };
        await Promise.all(Array.from({ length: CONCURRENT }, work));
        assert.deepEqual(
          [...seen.styled].filter((word) => !seen.used.has(word)),
          [],
          "classes of no page",
        );
        return { states: PAGE_CASES.length, visits: visits.length, violations: 0 };
      } finally {
        await browser.close();
        await Promise.all([...servers.values()].map((server) => server.stop()));
      }
    }),
  );
}

async function savePages(database: Database): Promise<void> {
  await savePeople(database, [...inventDemoPeople(), ...inventHostilePeople()]);
  await refreshStanding(database);
  // Pages 494 and 49,383.
  await addRanks(database, 12_300);
  await addRanks(database, 1_234_500);
}

/** Lists the first hundred people again at later ranks, as a list of that many people would. */
async function addRanks(database: Database, after: number): Promise<void> {
  const { epoch } = await findCurrentEpoch(database);
  await database.query(
    `insert into ${epochTable(epoch)} select rank + $1::integer as rank, passport_id, score, body, folded_name
     from ${epochTable(epoch)} where rank <= 100`,
    [after],
  );
  await database.query("update standing_epoch set total = $2 where epoch = $1", [epoch, after + 100]);
}

async function planVisits(servers: ReadonlyMap<ServerName, ProofServer>, share: number, seen: SeenClasses) {
  const folder = join(import.meta.dirname, "../../build/pages");
  const isFull = share === 1;
  if (isFull) await mkdir(folder, { recursive: true });
  return PAGE_CASES.flatMap(({ name, server, path, status }, index): Visit[] => {
    const { address } = servers.get(server) as ProofServer;
    const prepare = server === "limited" ? () => spendLimit(address) : async () => {};
    const variants = isFull
      ? [NARROWEST, ...WIDTHS].flatMap((width) => THEMES.map((theme) => ({ width, theme })))
      : [{ width: WIDTHS[index % WIDTHS.length] as number, theme: THEMES[index % THEMES.length] as Visit["theme"] }];
    const isFirstOfKind =
      PAGE_CASES.findIndex((other) => kindOf(other) === kindOf(PAGE_CASES[index] as PageCase)) === index;
    return variants.map(({ width, theme }) => ({
      ...{ url: address + path, status, width, theme, prepare, isThorough: isFull || isFirstOfKind, seen },
      picture: isFull ? join(folder, `${name}-${width}-${theme}.png`) : null,
    }));
  });
}

/** Pages of a kind have the same parts: those of a path, and those of an error. */
const kindOf = ({ status, path }: PageCase): string =>
  status === 200 ? (path.split(/[/?]/)[1] ?? "") : String(status);

/** Afterwards, a request of ten points is refused for about ten seconds. */
async function spendLimit(address: string): Promise<void> {
  while ((await fetch(`${address}/about`)).status === 200);
}
