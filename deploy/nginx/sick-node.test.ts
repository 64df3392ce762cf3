import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { testDatabase } from "../../service/testing/database.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { person } from "../../service/testing/people.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { relayTo } from "../../service/testing/relay.ts";
import { SERVE_ROLE, urlOf } from "../../service/testing/server.ts";
import { serveDatabase, serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";

const PEOPLE = 400;
/** They share the connections of a node. */
const PATHS = [
  "passports/",
  "passports/",
  "passport_credentials?passport_id=",
  "passports?per_page=",
  "passports?keyword=",
];
const CLIENTS = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 2}`);
/** As `fail_timeout` in credence.conf. */
const LEFT_OUT_MS = 10_000;

// Two nodes behind nginx. Relays between nginx and the first node, and between it and its database.
describe("one sick node of two fails no GET", async () => {
  const environment = { TRUSTED_PROXIES: "127.0.0.1", AUTH_MODE: "open" };
  const into = await testDatabase();
  const people = Array.from({ length: PEOPLE }, (_, index) => person(index + 1));
  const toDatabase = await relayTo(urlOf("postgres"));
  const sick = await serving(people, {
    ...{ into, environment, through: toDatabase.through, statementTimeoutMs: 2_000 },
    // It reads from a replica first, and then from the primary.
    readUrl: toDatabase.through(urlOf(into.name, SERVE_ROLE)),
  });
  const healthy = await serveDatabase(into.name, { environment });
  const toNode = await relayTo(sick.address);

  beforeEach(async () => {
    toDatabase.set("pass");
    toNode.set("pass");
    await expect.poll(async () => (await fetch(`${sick.address}/api/v1/passports/1`)).status).toBe(200);
  });

  /** Asks for people from several addresses, half of them with a key, until each has sent some. */
  const load = async (breakNode: () => void) => {
    const folder = testFolder();
    const proxy = await startProxy(folder, [toNode.through(sick.address), healthy.address]);
    whenDone(proxy.stop);
    const statuses = new Map<number, number>();
    const started = performance.now();
    const send = async (at: number, localAddress: string) => {
      // Nobody is asked for twice, so no copy of nginx helps.
      const headers: Record<string, string> = at % 2 === 0 ? {} : { "x-api-key": `old key of ${localAddress}` };
      const { status } = await proxy.send(`/api/v1/${PATHS[at % PATHS.length]}${at + 1}`, { localAddress, headers });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    const [before, after] = [PEOPLE / 4, PEOPLE];
    let next = 0;
    const sendUntil = (end: number) =>
      Promise.all(
        CLIENTS.map(async (client) => {
          while (next < end) await send(next++, client);
        }),
      );
    await sendUntil(before);
    breakNode();
    await sendUntil(after);
    await proxy.stop();
    const repeated = readFileSync(join(folder, "credence.log"), "utf8").match(/ node=\S+, /g)?.length ?? 0;
    return { statuses: Object.fromEntries(statuses), repeated, ms: performance.now() - started };
  };

  test.each([
    ["frozen", () => toNode.set("silence")],
    ["closes its connections and refuses new ones", () => toNode.set("cut")],
    ["cut off from its database, which refuses", () => toDatabase.set("cut")],
    ["cut off from its database, which does not respond", () => toDatabase.set("silence")],
  ])("%s", async (_, breakNode) => {
    const { statuses, repeated, ms } = await load(breakNode);
    expect(statuses).toEqual({ 200: PEOPLE });
    // Requests that are on their way when the node becomes sick, and then one each time nginx tries it.
    expect(repeated).toBeGreaterThan(0);
    expect(repeated).toBeLessThanOrEqual(2 * CLIENTS.length + Math.ceil(ms / LEFT_OUT_MS));
  });
});
