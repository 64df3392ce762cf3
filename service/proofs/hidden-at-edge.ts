import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect } from "node:tls";
import type { Database } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { erase, hide } from "#testing/decide.ts";
import { createClock } from "#testing/fake-clock.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { type RunningProxy, startProxy } from "#testing/proxy.ts";
import { startServer, withProofDatabase, withProofFolder } from "./harness.ts";

/** max-age and stale-while-revalidate, as docs/PRIVACY.md says, and a second of rounding. */
const BOUND_SECONDS = 121;
const ENVIRONMENT = { PUBLIC_URL: "https://api.example.org", TRUSTED_PROXIES: "127.0.0.1" };
const HTML = { accept: "text/html,application/xhtml+xml" };
const [HIDDEN, ERASED, SHOWN] = [1, 2, 3] as const;
const MAX_TARGET_BYTES = 8_192;
const PAUSE_MS = 5;

const named = (id: number) =>
  person(
    id,
    { display_name: `Quixanthe ${id}`, main_wallet: wallet(id), score: 7_654_321 + id },
    { credentials: [credential(`of Quixanthe ${id}`)] },
  );

/** What must not be found in any response. The wallet is in the path of one. */
const tracesOf = (id: number): string[] => [`Quixanthe ${id}`, String(7_654_321 + id), wallet(id)];

/** Addresses of a person that are gone, and pages that are there without the person. */
const goneOf = (id: number) => [`/api/v1/passports/${id}`, `/api/v1/passports/${wallet(id)}`, `/passports/${id}`];
const stayingOf = (id: number) => [
  // Of nobody.
  `/badge/${id}.svg`,
  `/api/v1/passport_credentials?passport_id=${id}`,
  "/api/v1/passports?page=1",
  "/api/v1/passports?keyword=quixanthe",
  `/compare?ids=${id}+${SHOWN}`,
  "/leaderboard",
];

/**
 * After the bound, nobody gets a byte about people who hid or were erased through the shipped nginx,
 * whatever another client sends meanwhile, and no healthy node is left out. For so many seconds.
 */
export function proveHiddenAtEdge(seconds: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      await savePeople(database, [named(HIDDEN), named(ERASED), person(SHOWN)]);
      await refreshStanding(database);
      const nodes = [await startServer(url, ENVIRONMENT), await startServer(url, ENVIRONMENT)];
      const clock = createClock(join(folder, "clock"));
      const proxy = await startProxy(
        join(folder, "nginx"),
        nodes.map(({ address }) => address),
        { clock, isUnlimited: true },
      );
      try {
        const etags = await fillCache(proxy);
        await hideAndErase(database);
        clock.setAhead(BOUND_SECONDS);
        const end = performance.now() + seconds * 1_000;
        const [disturbed, asked] = await Promise.all([disturb(proxy, end), ask(proxy, etags, end)]);
        return { seconds, disturbed, asked, ...checkNodes(join(folder, "nginx"), nodes.length) };
      } finally {
        await proxy.stop();
        for (const node of nodes) await node.stop();
      }
    }),
  );
}

/** Stores a copy of everything that shows the people, and returns the ETags. */
async function fillCache(proxy: RunningProxy): Promise<Map<string, string>> {
  const etags = new Map<string, string>();
  for (const path of [HIDDEN, ERASED].flatMap((id) => [...goneOf(id), ...stayingOf(id)])) {
    for (const headers of [{}, HTML]) {
      const { status, headers: received } = await proxy.send(path, { headers });
      assert.equal(status, 200, path);
      if (received.etag !== undefined) etags.set(path, received.etag);
    }
  }
  assert.equal((await proxy.send(`/passports/${HIDDEN}`, { headers: HTML })).headers["x-cache"], "HIT");
  return etags;
}

async function hideAndErase(database: Database): Promise<void> {
  await hide(database, [HIDDEN]);
  await erase(database, [ERASED]);
}

/** One client sends what could make nginx take a node for a failed one. */
async function disturb(proxy: RunningProxy, end: number): Promise<number> {
  let sent = 0;
  for (; performance.now() < end || sent < SHAPES.length * 16; sent += 1) {
    const shape = SHAPES[sent % SHAPES.length] as (typeof SHAPES)[number];
    await shape(proxy, sent);
  }
  return sent;
}

/** A client always gets to the same node, so it has several addresses. */
const addressOf = (n: number): string => `127.0.0.${2 + (n % 50)}`;

/** Lengths of 1 to 8,192 bytes, in an order that repeats none for long. */
const lengthOf = (n: number): number => 1 + ((n * 1_237) % MAX_TARGET_BYTES);

const pad = (path: string, length: number): string => path + "a".repeat(Math.max(0, length - path.length));

const SHAPES: readonly ((proxy: RunningProxy, n: number) => Promise<void>)[] = [
  async (proxy, n) => {
    const target = pad(
      ["/api/v1/passports?keyword=", "/passports/1?x=", "/search?q=", "/"][n % 4] as string,
      lengthOf(n),
    );
    const { status } = await proxy.send(target, { localAddress: addressOf(n) });
    assert.ok([200, 302, 400, 404].includes(status), `${status} for a target of ${target.length} bytes`);
  },
  // nginx refuses headers of more than its buffers itself.
  async (proxy, n) => {
    const { status } = await proxy.send(`/api/v1/passports/${HIDDEN}`, {
      headers: { "x-long": "a".repeat((n * 997) % 16_000) },
      localAddress: addressOf(n),
    });
    assert.ok([404, 400].includes(status), `${status} for long headers`);
  },
  async (proxy, n) => {
    const headers = { "if-none-match": `"${"b".repeat((n * 31) % 6_000)}"`, cookie: "c".repeat((n * 53) % 6_000) };
    await proxy.send(`/passports/${ERASED}`, { headers: { ...headers, ...HTML }, localAddress: addressOf(n) });
  },
  // Cancelled before, during and after the response.
  (proxy, n) =>
    sendRaw(
      proxy,
      `GET ${pad("/api/v1/passports?keyword=", lengthOf(n))} HTTP/1.1\r\nHost: api.example.org\r\n\r\n`,
      n % 4,
    ),
  (proxy, n) => sendRaw(proxy, ODD[n % ODD.length] as string, 20),
];

const ODD = [
  "GET / HTTP/9.9\r\n\r\n",
  "BREW /api/v1/passports/1 HTTP/1.1\r\nHost: api.example.org\r\n\r\n",
  "GET /api/v1/passports/1 HTTP/1.1\r\nHost: api.example.org\r\nContent-Length: 5\r\n\r\nab",
  "GET /api/v1/passports/1 HTTP/1.1\r\nHost: api.example.org\r\nRange: bytes=0-1\r\nExpect: 100-continue\r\n\r\n",
  "GET /api/v1/passports/%00%ff HTTP/1.1\r\nHost: api.example.org\r\n\r\n",
  "POST /api/v1/passports/1 HTTP/1.1\r\nHost: api.example.org\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  "GET /passports/1 HTTP/1.1\r\nHost: api.example.org\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  "GET /api/v1/passports/1 HTTP/1.0\r\n\r\nGET /api/v1/passports/2 HTTP/1.0\r\n\r\n",
];

/** Sends bytes, and closes the connection after some milliseconds, whatever has arrived. */
async function sendRaw({ port }: RunningProxy, text: string, openMs: number): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  socket.on("error", () => {});
  socket.on("secureConnect", () => socket.write(text));
  await setTimeout(openMs + PAUSE_MS);
  socket.destroy();
}

/** Another client asks for the people, in all ways. */
async function ask(proxy: RunningProxy, etags: Map<string, string>, end: number): Promise<number> {
  let asked = 0;
  do {
    for (const id of [HIDDEN, ERASED]) {
      for (const path of [...goneOf(id), ...stayingOf(id)]) {
        for (const accept of [{}, HTML]) {
          for (const condition of [undefined, etags.get(path), "*"]) {
            const headers = { ...accept, ...(condition !== undefined && { "if-none-match": condition }) };
            const response = await proxy.send(path, { headers, localAddress: addressOf(asked) });
            checkResponse(id, path, condition, response);
            asked += 1;
          }
        }
      }
    }
    await setTimeout(PAUSE_MS);
  } while (performance.now() < end);
  return asked;
}

type Response = Awaited<ReturnType<RunningProxy["send"]>>;

function checkResponse(id: number, path: string, condition: string | undefined, response: Response): void {
  const name = `${path} with ${condition}`;
  const isGone = goneOf(id).includes(path);
  // `*` asks whether there is anything, and a list without the person is something.
  const isUnmodified = condition === "*" && !isGone;
  assert.ok(
    response.status === (isGone ? 404 : 200) || (isUnmodified && response.status === 304),
    `${name}: ${response.status}`,
  );
  const text = JSON.stringify([response.rawHeaders, response.body]);
  const found = tracesOf(id).filter((trace) => text.includes(trace) && !path.includes(trace));
  assert.deepEqual(found, [], name);
}

/** By its log, nginx never asked a second node, which it does if the first one fails, and all of them answered. */
function checkNodes(folder: string, nodes: number) {
  const log = readFileSync(join(folder, "credence.log"), "utf8");
  const asked = [...log.matchAll(/ node=(.*?) node_status=/g)]
    .map(([, node = ""]) => node)
    .filter((node) => node !== "-");
  const counts = Object.groupBy(asked, (node) => node);
  assert.equal(Object.keys(counts).length, nodes, Object.keys(counts).join(" "));
  return { answered: Object.values(counts).map((requests = []) => requests.length) };
}
