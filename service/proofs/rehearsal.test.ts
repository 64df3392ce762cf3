import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Person } from "@credence/contract/person.ts";
import { expect, test } from "vitest";
import { inventPopulation } from "#demo/invent/population.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { oldServer } from "#testing/old-server.ts";
import { serveDatabase } from "#testing/serving.ts";
import { whenDone } from "#testing/when-done.ts";

const KIT = fileURLToPath(new URL("../../conformance/bin/credence-conformance.js", import.meta.url));
const KEYS = ["adopted-key-1", "adopted-key-2", "unknown-key"];
const CLIENTS = 4;

test("a switch from an old server under load: no request fails, and no client notices", async () => {
  const people = [...inventPopulation(31, 40)].filter(({ operator }) => operator === undefined);
  const old = await oldServer(people);
  whenDone(old.close);
  const proxy = await startProxy(old.address);
  const load = startClients(proxy.address, people);
  const folder = testFolder();
  const out = join(folder, "snapshot");
  const { url, name } = await testDatabase();
  const environment = { DATABASE_URL: url };
  const run = async (...args: string[]) => {
    const { code, stderr } = await runCommand(args, environment);
    expect(code, stderr).toBe(0);
  };
  await run("collect", old.address, "--basis", "a rehearsal", "--rate", "1000", "--out", out);
  await run("import", out);
  writeFileSync(join(folder, "keys.csv"), "token,label,contact\nadopted-key-1,One,a@b\nadopted-key-2,Two,c@d\n");
  await run("keys", "adopt", "--file", join(folder, "keys.csv"));
  const node = await serveDatabase(name, { environment: { AUTH_MODE: "open" } });
  const paths = people.map(({ passport }) => `/api/v1/passports/${passport.passport_id}\n`);
  writeFileSync(join(folder, "paths"), paths.join(""));
  const compared = await runKit(old.address, "--compare", node.address, "--requests", join(folder, "paths"));
  expect(compared).toContain("No difference in form, and no unexplained difference in data.");
  await load.more(100);
  proxy.target = node.address;
  await load.more(300);
  old.close();
  await load.more(300);
  expect(await load.stop()).toEqual([]);
  expect(await runKit(node.address, "--level", "spec")).toContain("0 failed");
});

async function runKit(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [KIT, ...args, "--rate", "200"]);
  return stdout;
}

/** Forwards requests to a server that can be changed at any time. */
async function startProxy(target: string) {
  const proxy = { address: "", target };
  const server = createServer(async (request, response) => {
    const headers = { "x-api-key": String(request.headers["x-api-key"]) };
    const reply = await fetch(proxy.target + request.url, { headers }).catch(() => null);
    response.writeHead(reply?.status ?? 502).end(await reply?.text());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  whenDone(() => void server.close());
  proxy.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

/** Clients that send requests with old keys, one after another, and check every response. */
function startClients(address: string, people: readonly Person[]) {
  const failures: string[] = [];
  let requests = 0;
  let isStopped = false;
  const runClient = async (number: number): Promise<void> => {
    for (let index = number; !isStopped; index += CLIENTS) {
      const person = people[index % people.length] as Person;
      const headers = { "X-API-KEY": KEYS[index % KEYS.length] as string };
      const fault = await sendOne(address, person, index, headers).catch(String);
      if (fault !== null) failures.push(`request ${index}: ${fault}`);
      requests += 1;
    }
  };
  const running = Promise.all(Array.from({ length: CLIENTS }, (_, number) => runClient(number)));
  whenDone(() => {
    isStopped = true;
  });
  return {
    /** Waits for this number of further requests. */
    more: async (count: number) => {
      const target = requests + count;
      await expect.poll(() => requests).toBeGreaterThanOrEqual(target);
    },
    stop: async () => {
      isStopped = true;
      await running;
      return failures;
    },
  };
}

async function sendOne(
  address: string,
  { passport, credentials }: Person,
  at: number,
  headers: Record<string, string>,
): Promise<string | null> {
  const id = passport.passport_id;
  const paths = [`passports/${id}`, `passport_credentials?passport_id=${id}`, "passports?page=1"];
  const response = await fetch(`${address}/api/v1/${paths[at % paths.length]}`, { headers });
  const body = await response.text();
  if (response.status !== 200) return `status ${response.status}`;
  const { passport: found, passport_credentials: items, pagination } = JSON.parse(body);
  if (found !== undefined)
    return found.passport_id === id && found.score === passport.score ? null : "another passport";
  if (items !== undefined) return items.length === credentials.length ? null : "other credentials";
  return pagination.total > 0 ? null : "an empty list";
}
