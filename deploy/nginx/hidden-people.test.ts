import { execFileSync } from "node:child_process";
import { globSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { erase } from "../../service/testing/decide.ts";
import { createClock } from "../../service/testing/fake-clock.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { credential, person, wallet } from "../../service/testing/people.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { relayTo } from "../../service/testing/relay.ts";
import { urlOf } from "../../service/testing/server.ts";
import { serveDatabase, serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";

/** max-age and stale-while-revalidate, as docs/PRIVACY.md says, and a second of rounding. */
const BOUND_SECONDS = 121;
const environment = { PUBLIC_URL: "https://api.example.org", TRUSTED_PROXIES: "127.0.0.1" };
const named = (id: number) =>
  person(
    id,
    { display_name: `Quixanthe ${id}`, main_wallet: wallet(id), score: 7_654_321 + id },
    { credentials: [credential(`of Quixanthe ${id}`)] },
  );
const HTML = { accept: "text/html,application/xhtml+xml" };

/** Files of the cache that mention the people. */
const listTraces = (folder: string): string[] =>
  globSync("cache/**/*", { cwd: folder, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => /Quixanthe [12]/.test(readFileSync(file, "latin1")));

test("copies older than an hour leave the disk, also if somebody keeps asking and no node answers", async () => {
  const node = await serving([named(1), person(3)], { environment });
  const relay = await relayTo(node.address);
  const folder = testFolder();
  const proxy = await startProxy(folder, [relay.through(node.address)]);
  whenDone(proxy.stop);
  const paths = ["/api/v1/passports/1", "/passports/1"];
  for (const path of paths) expect((await proxy.send(path, { headers: HTML })).status).toBe(200);
  expect(listTraces(folder)).toHaveLength(2);
  const run = () => execFileSync("sh", [join(import.meta.dirname, "delete-old-copies.sh"), join(folder, "cache")]);
  run();
  expect(listTraces(folder)).toHaveLength(2);
  relay.set("cut");
  const old = new Date(Date.now() - 61 * 60_000);
  for (const file of listTraces(folder)) utimesSync(file, old, old);
  for (const path of paths) expect((await proxy.send(path, { headers: HTML })).headers["x-cache"]).toBe("HIT");
  run();
  expect(listTraces(folder)).toEqual([]);
  for (const path of paths) expect((await proxy.send(path, { headers: HTML })).status).toBe(503);
});

test.each<[number, (name: string) => Promise<{ address: string }>]>([
  [410, (name) => serveDatabase(name, { environment: { ...environment, V1_SUNSET_AT: "2026-01-01" } })],
  [429, (name) => serveDatabase(name, { environment: { ...environment, RATE_LIMIT_ANONYMOUS: "10" } })],
  [
    503,
    async (name) => {
      const lost = await relayTo(urlOf(name));
      const node = await serveDatabase(name, { environment, through: lost.through, statementTimeoutMs: 2_000 });
      lost.set("cut");
      return node;
    },
  ],
])("copies older than an hour leave the disk, also if every answer since then was %i", async (status, startOther) => {
  const node = await serving([named(1), person(3)], { environment });
  const relay = await relayTo(node.address);
  const folder = testFolder();
  const clock = createClock(join(folder, "clock"));
  const proxy = await startProxy(folder, [relay.through(node.address)], { clock });
  whenDone(proxy.stop);
  const paths = ["/api/v1/passports/1", "/passports/1"];
  for (const path of paths) expect((await proxy.send(path, { headers: HTML })).status).toBe(200);
  expect(listTraces(folder)).toHaveLength(2);
  await erase(node.database, [1]);
  relay.lead((await startOther(node.name)).address);
  clock.setAhead(BOUND_SECONDS);
  // With a limit of 10 points, these take them.
  for (let id = 10; id < 20; id += 1) await proxy.send(`/api/v1/passports/${id}`);
  for (const path of paths) {
    const response = await proxy.send(path, { headers: HTML });
    // A node without a database closes the connection, so that another one is asked. There is none.
    if (response.headers["x-cache"] !== "STALE") expect(response.status, path).toBe(status);
    else expect(status).toBe(503);
  }
  const old = new Date(Date.now() - 61 * 60_000);
  for (const file of listTraces(folder)) utimesSync(file, old, old);
  execFileSync("sh", [join(import.meta.dirname, "delete-old-copies.sh"), join(folder, "cache")]);
  expect(listTraces(folder)).toEqual([]);
});

test("an old copy is not sent while one of three nodes answers", async () => {
  const node = await serving([named(1), person(3)], { environment });
  const lost = [await relayTo(node.address), await relayTo(node.address)];
  const folder = testFolder();
  const clock = createClock(join(folder, "clock"));
  const proxy = await startProxy(folder, [...lost.map(({ through }) => through(node.address)), node.address], {
    clock,
  });
  whenDone(proxy.stop);
  // Each client has a node of its own, and some have one that is lost.
  const clients = Array.from({ length: 12 }, (_, index) => ({ localAddress: `127.0.0.${index + 2}` }));
  for (const client of clients) expect((await proxy.send("/api/v1/passports/1", client)).status).toBe(200);
  await erase(node.database, [1]);
  for (const relay of lost) relay.set("cut");
  clock.setAhead(BOUND_SECONDS);
  for (const client of clients) expect((await proxy.send("/api/v1/passports/1", client)).status).toBe(404);
});

test.each([
  "?api_key=anything",
  "?apikey=1",
  "?X-Api-Key=1",
  "?api_key[]=1",
  `?x=1&API_KEY=1`,
  `?key=crd_${"0".repeat(48)}`,
])("a response to a URL with a key is not stored: %s", async (query) => {
  const node = await serving([named(1)], { environment });
  const folder = testFolder();
  const proxy = await startProxy(folder, [node.address]);
  whenDone(proxy.stop);
  for (const _ of [1, 2]) {
    const { status, headers } = await proxy.send(`/api/v1/passports/1${query}`);
    expect([status, headers["x-cache"]]).toEqual([200, undefined]);
  }
  expect(listTraces(folder)).toEqual([]);
});
