import { readFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { VARIABLES } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { person } from "#testing/people.ts";
import { type RunningProxy, startProxy } from "#testing/proxy.ts";
import { startServer, withProofDatabase, withProofFolder } from "./harness.ts";

const PEOPLE = 5_000;
const { RATE_LIMIT_ANONYMOUS, RATE_LIMIT_KEYS } = VARIABLES;
const DEFAULT_LIMITS = { RATE_LIMIT_ANONYMOUS, RATE_LIMIT_KEYS, TRUSTED_PROXIES: "127.0.0.1" };
const KEYS = 20;
const BURST = 100;
const BURSTS = 10;
const PARALLEL = 50;

/** What a client sends in each second: 90 % of the points that it gets back in that time. */
const EACH_SECOND = {
  // 8 + 4 + 10 of 25 points.
  anonymous: { lookUps: 8, pages: 1, searches: 1 },
  // 85 + 40 + 100 of 250 points.
  key: { lookUps: 85, pages: 10, searches: 10 },
};

/**
 * Clients that stay within their limits, through nginx with the files of deploy/nginx: bursts of
 * look-ups, clients at 90 % of their points, and many clients with keys behind one address. Nobody is
 * refused.
 */
export function proveWellBehaved(seconds: number, keysBehindAddress = KEYS) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      await savePeople(
        database,
        Array.from({ length: PEOPLE }, (_, index) => person(index + 1)),
      );
      await refreshStanding(database);
      const keys = await Promise.all(
        Array.from({ length: keysBehindAddress + 1 }, (_, index) => createKey(database, index)),
      );
      const node = await startServer(url, DEFAULT_LIMITS);
      const proxy = await startProxy(join(folder, "nginx"), [node.address]);
      const send = sender(proxy);
      try {
        const bursts = await countStatuses(sendBursts(send));
        const sustained = {
          anonymous: countStatuses(sendSteadily(send, seconds, { from: "127.0.3.1" }, EACH_SECOND.anonymous)),
          key: countStatuses(
            sendSteadily(send, seconds, { from: "127.0.3.2", key: keys[keysBehindAddress] }, EACH_SECOND.key),
          ),
        };
        const shared = countStatuses(
          ...keys.slice(0, keysBehindAddress).map((key) => sendInParallel(send, seconds, { from: "127.0.3.3", key })),
        );
        const statuses = {
          bursts,
          "90 % of the points, anonymous": await sustained.anonymous,
          "90 % of the points, with a key": await sustained.key,
          [`${keysBehindAddress} keys behind one address`]: await shared,
        };
        const not_met = Object.entries(statuses).flatMap(([name, counts]) =>
          Object.keys(counts).some((status) => status !== "200") ? [`${name}: ${JSON.stringify(counts)}`] : [],
        );
        return { seconds, statuses, not_met };
      } finally {
        await proxy.stop();
        await node.stop();
      }
    }),
  );
}

const createKey = async (database: Database, index: number): Promise<string> =>
  (await issueKey(database, { label: `client ${index}`, contact: "proof", expiresAt: null })).token;

type Client = { from: string; key?: string | undefined };
type Send = (path: string, client: Client) => Promise<string>;

function sender({ port, authority }: RunningProxy): Send {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(authority), servername: "api.example.org" });
  return (path, { from, key }) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const headers = key === undefined ? {} : { "x-api-key": key };
    const request = get({ agent, host: "127.0.0.1", port, path, localAddress: from, headers }, (response) => {
      response.on("end", () => resolve(String(response.statusCode)));
      response.on("error", (error) => resolve(error.message));
      response.resume();
    });
    request.on("error", (error) => resolve(error.message));
    return promise;
  };
}

const anyOf = (count: number): number => 1 + Math.floor(Math.random() * count);
const lookUp = (): string => `/api/v1/passports/${anyOf(PEOPLE)}`;
const page = (): string => `/api/v1/passports?page=${anyOf(100)}`;
const search = (): string => `/api/v1/passports?keyword=${String.fromCharCode(97 + anyOf(25), 97 + anyOf(25))}`;

/** Bursts of parallel look-ups, each of another client without a key. */
async function* sendBursts(send: Send): AsyncGenerator<string> {
  for (let burst = 1; burst <= BURSTS; burst += 1) {
    const from = `127.0.4.${burst}`;
    yield* await Promise.all(Array.from({ length: BURST }, () => send(lookUp(), { from })));
  }
}

async function* eachSecond(seconds: number, work: () => Promise<string>[]): AsyncGenerator<string> {
  const started = performance.now();
  const sent: Promise<string>[] = [];
  for (let index = 0; index < seconds; index += 1) {
    await delay(Math.max(0, started + index * 1_000 - performance.now()));
    sent.push(...work());
  }
  yield* await Promise.all(sent);
}

const sendSteadily = (send: Send, seconds: number, client: Client, counts: (typeof EACH_SECOND)["key"]) =>
  eachSecond(seconds, () => [
    ...Array.from({ length: counts.lookUps }, () => send(lookUp(), client)),
    ...Array.from({ length: counts.pages }, () => send(page(), client)),
    ...Array.from({ length: counts.searches }, () => send(search(), client)),
  ]);

const sendInParallel = (send: Send, seconds: number, client: Client) =>
  eachSecond(seconds, () => Array.from({ length: PARALLEL }, () => send(lookUp(), client)));

async function countStatuses(...sources: AsyncGenerator<string>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await Promise.all(
    sources.map(async (source) => {
      for await (const status of source) counts[status] = (counts[status] ?? 0) + 1;
    }),
  );
  return counts;
}
