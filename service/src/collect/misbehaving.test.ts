import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createAuthority } from "#testing/certificates.ts";
import { collectQuickly, OLD_KEY } from "#testing/collect-quickly.ts";
import { testFolder } from "#testing/folder.ts";
import { person } from "#testing/people.ts";
import { readSnapshotPeople } from "#testing/read-snapshot.ts";
import { whenDone } from "#testing/when-done.ts";
import type { ServerOptions } from "./collect-server.ts";

const LIST = "/api/v1/passports?";
const json = JSON.stringify;
const { merged, passport_socials, ...listed } = person(1).passport;
const page = (ids: readonly number[], pagination: object) =>
  json({ passports: ids.map((passport_id) => ({ ...listed, passport_id })), pagination });
const ONE_PAGE = { current_page: 1, last_page: 1, total: 1 };

const send = (response: ServerResponse, body: string | Buffer, headers: Record<string, string> = {}, status = 200) =>
  void response.writeHead(status, headers).end(body);

/** Responds to everything as a correct server with passport 1. */
const correctly = (url: string, response: ServerResponse): void => {
  if (url.startsWith(LIST)) send(response, page([1], ONE_PAGE));
  else if (url.includes("credentials")) send(response, json({ passport_credentials: [] }));
  else send(response, json({ passport: person(Number(url.split("/").at(-1))).passport }));
};

async function start(listener: RequestListener): Promise<{ address: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  whenDone(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function collect(address: string, options: Partial<ServerOptions> = {}) {
  const out = join(testFolder(), "out");
  const collected = await collectQuickly(address, out, options);
  return { ...collected, people: await readSnapshotPeople(out) };
}

type Misbehave = (url: string, response: ServerResponse, elsewhere: string) => void;

const onList =
  (misbehave: Misbehave): Misbehave =>
  (url, response, elsewhere) =>
    url.startsWith(LIST) ? misbehave(url, response, elsewhere) : correctly(url, response);

const drip = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write(" "), 10);
  response.on("close", () => clearInterval(timer));
};
const endless = (response: ServerResponse): void => {
  const chunk = Buffer.alloc(262_144, " ");
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", write);
  write();
};

/** Each ends with a message. */
const STOPS: [kind: string, misbehave: Misbehave, message: RegExp][] = [
  ["invalid JSON", onList((_, response) => send(response, '{"passports":[')), /Page 1 .* not JSON/],
  ["HTML", onList((_, response) => send(response, "<html>")), /Page 1 .* not JSON/],
  ["other JSON", onList((_, response) => send(response, '{"hello":"you"}')), /is not a page of the V1 list/],
  ["an endless body", onList((_, response) => endless(response)), /longer than 33554432 bytes/],
  ["a slow drip", onList((_, response) => drip(response)), /no complete response within 0.15 seconds/],
  ["no response", onList(() => {}), /no complete response within/],
  [
    "a redirect to another origin",
    onList((url, response, elsewhere) => send(response, "", { Location: elsewhere + url }, 302)),
    /redirects to http:\/\/127\.0\.0\.1:\d+\. Redirects are not followed/,
  ],
  [
    "a redirect of a passport",
    (url, response, elsewhere) =>
      url.startsWith(LIST)
        ? correctly(url, response)
        : send(response, "", { Location: `${elsewhere}/?key=${OLD_KEY}` }, 301),
    /redirects to/,
  ],
  [
    "a redirect to a host with the key",
    onList((url, response) => send(response, "", { Location: `https://${OLD_KEY}.example${url}` }, 302)),
    /redirects to …\. Redirects are not followed/,
  ],
  [
    "a compression bomb",
    onList((_, response) =>
      send(response, gzipSync(Buffer.alloc(64 * 1_048_576), { level: 1 }), { "Content-Encoding": "gzip" }),
    ),
    /decompresses to more than 33554432 bytes/,
  ],
  [
    "a damaged content coding",
    onList((_, response) => send(response, "no gzip", { "Content-Encoding": "gzip" })),
    /not valid gzip/,
  ],
  ["unauthorized", onList((_, response) => send(response, "{}", {}, 401)), /refused access with status 401/],
  ["gone", onList((_, response) => send(response, "{}", {}, 410)), /V1 is gone/],
  ["only errors", onList((_, response) => send(response, "", {}, 500)), /Page 1 .* status 500/],
  [
    "endless refusals",
    onList((_, response) => send(response, "", { "Retry-After": "0" }, 429)),
    /refused 50 requests in a row with status 429/,
  ],
  [
    "a wait of years",
    onList((_, response) => send(response, "", { "Retry-After": "999999999" }, 503)),
    /asks to wait 16666667 minutes/,
  ],
  ["closed connections", onList((_, response) => void response.destroy()), /ECONNRESET|socket hang up/],
  [
    "a passport that is never sent, of everybody",
    (url, response) =>
      url.startsWith(LIST)
        ? send(
            response,
            page(
              Array.from({ length: 30 }, (_, index) => index + 1),
              { ...ONE_PAGE, total: 30 },
            ),
          )
        : send(response, "x".repeat(10)),
    /20 requests in a row failed/,
  ],
];

const NEVER_ENDS = new Set(["a slow drip", "no response"]);

/** Each still gives a snapshot of the people that can be collected. */
const GOES_ON: [kind: string, misbehave: Misbehave, found: number][] = [
  [
    "a page that is repeated for ever",
    onList((url, response) => send(response, page([1, 2], { current_page: pageIn(url), last_page: 1e9, total: 2 }))),
    2,
  ],
  [
    "a list that ignores the page",
    onList((_, response) => send(response, page([1, 2], { current_page: 1, last_page: 9, total: 18 }))),
    2,
  ],
  ["a total that is too high", onList((_, response) => send(response, page([1], { ...ONE_PAGE, total: 1e15 }))), 1],
  ["a total that is too low", onList((_, response) => send(response, page([1, 2, 3], { ...ONE_PAGE, total: 0 }))), 3],
  [
    "no pagination",
    onList((url, response) => send(response, json({ passports: pageIn(url) === 1 ? [listed] : [] }))),
    1,
  ],
  [
    "entries that are no people",
    onList((_, response) =>
      send(
        response,
        json({
          passports: [null, 5, { passport_id: -1 }, { passport_id: "../../etc" }, { passport_id: 1e300 }, listed],
          pagination: ONE_PAGE,
        }),
      ),
    ),
    1,
  ],
  [
    "a passport that is nested too deeply",
    (url, response) =>
      url.startsWith(LIST)
        ? send(response, page([1, 2], { ...ONE_PAGE, total: 2 }))
        : url.endsWith("/2")
          ? send(response, `{"passport":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)
          : correctly(url, response),
    1,
  ],
  ...Object.entries({
    "as it is": json(OLD_KEY),
    "escaped as \\uXXXX": `"${[...OLD_KEY].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join("")}"`,
    "in upper case": json(OLD_KEY.toUpperCase()),
    "in Base64": json(btoa(`key:${OLD_KEY}`)),
  }).map(([form, printed]): (typeof GOES_ON)[number] => [
    `a passport that repeats the key ${form}`,
    (url, response) =>
      url.startsWith(LIST)
        ? send(response, page([1, 2], { ...ONE_PAGE, total: 2 }))
        : url.endsWith("/2")
          ? send(response, json({ passport: { ...person(2).passport, display_name: 0 } }).replace(":0", `:${printed}`))
          : correctly(url, response),
    1,
  ]),
];

const pageIn = (url: string): number => Number(new URLSearchParams(url.split("?")[1]).get("page"));

describe("a server that misbehaves", () => {
  test.each(STOPS)("%s: stops with a message", async (kind, misbehave, message) => {
    const elsewhere = await start((_request, response) => send(response, "{}"));
    const { address, requests } = await start(({ url = "" }, response) => misbehave(url, response, elsewhere.address));
    const error = await collect(address, NEVER_ENDS.has(kind) ? { timeoutMs: 150 } : {}).catch(
      (thrown: Error) => thrown,
    );
    expect(String(error)).toMatch(message);
    expect(String(error).toLowerCase()).not.toContain(OLD_KEY.toLowerCase());
    expect(error).toHaveProperty("advice");
    expect(elsewhere.requests).toEqual([]);
    expect(requests.length).toBeLessThanOrEqual(101);
    for (const url of requests) expect(url).toMatch(/^\/api\/v1\/passport/);
  });

  test.each(GOES_ON)("%s: goes on", async (_, misbehave, found) => {
    const { address, requests } = await start(({ url = "" }, response) => misbehave(url, response, ""));
    const { people } = await collect(address);
    expect(people.map(({ passport }) => passport.passport_id)).toEqual(
      Array.from({ length: found }, (_, index) => index + 1),
    );
    expect(json(people).toLowerCase()).not.toContain(OLD_KEY.toLowerCase());
    expect(requests.length).toBeLessThan(600);
    for (const url of requests)
      expect(url).toMatch(/^\/api\/v1\/passport(s\?page=\d+&per_page=100|s\/\d+|_credentials\?passport_id=\d+)$/);
  });

  test("nobody listens at the address: the first request ends it, with what to check", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const address = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    closed.close();
    await once(closed, "close");
    const planned: unknown[] = [];
    // After a second request, the message would count the attempts.
    await expect(collect(address, { onPlan: (plan) => planned.push(plan) })).rejects.toMatchObject({
      message: "The server cannot be reached: the connection failed (ECONNREFUSED).",
      advice: "Check the URL, and that the server is running. Then run the same command again.",
    });
    expect(planned).toEqual([]);
  });

  test("an unknown certificate: stops with a message, before the key is sent", async () => {
    const folder = testFolder();
    const { certFile, keyFile } = await (await createAuthority(folder)).issue("old.example", 5);
    let requests = 0;
    const server = createTlsServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (_, response) => {
      requests += 1;
      response.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    whenDone(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await expect(collect(`https://127.0.0.1:${port}`)).rejects.toThrow(/TLS connection failed: (UNABLE|SELF|DEPTH)/);
    await expect(collect("https://no-such-host.invalid")).rejects.toThrow(/has no address|EAI_AGAIN/);
    expect(requests).toBe(0);
  });
});
