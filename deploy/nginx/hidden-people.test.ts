import { execFileSync } from "node:child_process";
import { globSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changePerson } from "../../service/src/privacy/change-person.ts";
import { erasePerson } from "../../service/src/privacy/erase-person.ts";
import { createClock } from "../../service/testing/fake-clock.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { OPT_OUT_KEY } from "../../service/testing/import-lines.ts";
import { credential, person, wallet } from "../../service/testing/people.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { relayTo } from "../../service/testing/relay.ts";
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

/** Everything that shows a person, with the headers of browsers and programs. */
const pathsOf = (id: number): [path: string, headers: Record<string, string>][] =>
  [
    `/api/v1/passports/${id}`,
    `/api/v1/passports/${wallet(id)}`,
    `/api/v1/passport_credentials?passport_id=${id}`,
    "/api/v1/passports?page=1",
    "/api/v1/passports?keyword=quixanthe",
    `/passports/${id}`,
    `/badge/${id}.svg`,
    `/compare?ids=${id}+3`,
    "/leaderboard",
  ].flatMap((path) => [
    [path, {}],
    [path, HTML],
  ]);

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

test("no request shows hidden and erased people again after the bound, whatever others send", async () => {
  const first = await serving([named(1), named(2), person(3)], { environment });
  const second = await serveDatabase(first.name, { environment });
  const folder = testFolder();
  const clock = createClock(join(folder, "clock"));
  const proxy = await startProxy(folder, [first.address, second.address], { clock, isUnlimited: true });
  whenDone(proxy.stop);
  const etags = new Map<string, string>();
  for (const [path, headers] of [...pathsOf(1), ...pathsOf(2)]) {
    const { status, headers: received } = await proxy.send(path, { headers });
    expect(status, path).toBe(200);
    if (received.etag !== undefined) etags.set(path, received.etag);
  }
  expect((await proxy.send("/passports/1", { headers: HTML })).headers["x-cache"]).toBe("HIT");

  await changePerson(first.database, { action: "hide", passportId: 1 });
  await erasePerson(first.database, 2, OPT_OUT_KEY);
  clock.setAhead(BOUND_SECONDS);
  // Long targets: nginx must not take a response of a node for a failure of it, and send old copies.
  const lengths = Array.from({ length: 48 }, (_, index) => Math.round(100 + (index * 8_092) / 47));
  for (const length of lengths) {
    for (const path of ["/api/v1/passports?keyword=", "/passports/1?x=", "/search?q="]) {
      const target = path + "a".repeat(length - path.length);
      const { status } = await proxy.send(target, { localAddress: `127.0.0.${2 + (length % 50)}` });
      expect([200, 302, 404], `${length} ${path}`).toContain(status);
    }
  }
  for (const id of [1, 2]) {
    for (const [path, headers] of pathsOf(id)) {
      const etag = etags.get(path) ?? "*";
      for (const condition of [{}, { "if-none-match": etag }, { "if-none-match": "*" }]) {
        const response = await proxy.send(path, { headers: { ...headers, ...condition } });
        const text = JSON.stringify(response);
        const shown =
          text.includes(`Quixanthe ${id}`) || text.includes(String(7_654_321 + id)) || text.includes(wallet(id));
        expect(shown && !path.includes(wallet(id)), `${path} ${JSON.stringify(condition)}`).toBe(false);
        expect(response.headers["x-cache"], path).not.toBe("STALE");
        if (response.status === 304) expect(etag, path).not.toBe(response.headers.etag);
      }
    }
  }
  // Each copy was replaced.
  expect(listTraces(folder)).toEqual([]);
});
