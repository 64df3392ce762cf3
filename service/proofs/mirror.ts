import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { queryColumn, queryValue } from "#core/database/database.ts";
import {
  type ProofDatabase,
  type ProofServer,
  runCredence,
  startServer,
  waitFor,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";
import { findDifferences, observe } from "./mirror-lives/observe.ts";
import { serveFolder } from "./mirror-lives/world.ts";

const KIT = fileURLToPath(new URL("../../conformance/src/main.ts", import.meta.url));
const MIRRORS = 3;
const CLIENTS = 4;

/**
 * A publisher with three mirrors dies for good under load, and one of them takes over. An application asks
 * the servers in order, and gets the right answer or 503, never 404 for somebody who is shown. Erasures
 * before and after it hold everywhere. Also measures snapshots, follows and a hide.
 */
export const proveMirror = (people: number) =>
  withProofFolder((folder) =>
    withDatabases(1 + MIRRORS, ([publisher, ...mirrors]) =>
      proveWith(people, folder, publisher as ProofDatabase, mirrors),
    ),
  );

function withDatabases<Result>(count: number, work: (databases: ProofDatabase[]) => Promise<Result>): Promise<Result> {
  if (count === 0) return work([]);
  return withProofDatabase((first) => withDatabases(count - 1, (others) => work([first, ...others])));
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return Math.round((performance.now() - started) / 100) / 10;
};

async function writeKeys(folder: string, name: string): Promise<{ privatePath: string; publicPem: string }> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const privatePath = join(folder, `${name}.pem`);
  await writeFile(privatePath, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  return { privatePath, publicPem: String(publicKey.export({ type: "spki", format: "pem" })) };
}

async function proveWith(people: number, folder: string, publisher: ProofDatabase, mirrors: ProofDatabase[]) {
  const [first, second, third] = mirrors as [ProofDatabase, ProofDatabase, ProofDatabase];
  const keyring = join(folder, "keys.pem");
  const [before, after] = [await writeKeys(folder, "before"), await writeKeys(folder, "after")];
  await writeFile(keyring, before.publicPem);
  const files = await serveFolder();
  const optOutKeys = new Map([publisher, ...mirrors].map((one, index) => [one, `${index}`.repeat(32)]));
  const run = (one: ProofDatabase, ...args: string[]) =>
    runCredence(args, { DATABASE_URL: one.url, OPT_OUT_KEY: optOutKeys.get(one) as string });
  let published = "";
  /** Into a new folder, so that no snapshot is too young. */
  const publish = async (from: ProofDatabase, key: string) => {
    published = join(folder, `published-${Date.now()}`);
    await mkdir(published);
    await run(from, "publish", published, "--key", key);
    files.show(published);
  };
  const follow = (one: ProofDatabase) => run(one, "mirror", files.url, "--public-key", keyring, "--basis", "A proof");
  const followAll = async (followers: ProofDatabase[]) => {
    for (const one of followers) await follow(one);
  };
  const erase = (one: ProofDatabase, id: number) => run(one, "passport", "erase", `${id}`, "--yes");
  const servers: ProofServer[] = [];
  try {
    const snapshot = join(folder, "generated");
    await runCredence(["generate", "--people", `${people}`, "--out", snapshot]);
    await run(publisher, "import", snapshot);
    const oldest = join(folder, "oldest");
    await run(publisher, "export", oldest);
    const figures: Record<string, number> = { people };
    figures.publish_seconds = await seconds(() => publish(publisher, before.privatePath));
    figures.snapshot_bytes = sizeOf(published);
    figures.first_follow_seconds = await seconds(() => follow(first));
    await followAll([second, third]);
    figures.unchanged_follow_seconds = await seconds(() => follow(first));
    for (const { url } of [publisher, ...mirrors]) servers.push(await startServer(url));
    const [dying, ...standing] = servers as [ProofServer, ...ProofServer[]];

    await changeOnePercent(publisher, join(folder, "changed.ndjson"), people);
    await run(publisher, "import", join(folder, "changed.ndjson"));
    figures.changed_publish_seconds = await seconds(() => publish(publisher, before.privatePath));
    figures.changed_follow_seconds = await seconds(() => follow(first));

    const [hidden = 0, erasedBefore = 0, erasedAfter = 0] = await listIds(publisher, 3);
    await erase(publisher, erasedBefore);
    figures.hide_seconds = await seconds(async () => {
      await run(publisher, "passport", "hide", `${hidden}`, "--yes");
      await publish(publisher, before.privatePath);
      await follow(first);
      await waitFor(
        "the hide on the mirror",
        () => statusOf(standing[0] as ProofServer, hidden),
        (status) => status === 404,
      );
    });
    await followAll([second, third]);
    for (const one of mirrors) await requireEqual(publisher, one);

    const shown = await listIds(publisher, 1_000);
    const load = startLoad(servers, shown);
    await load.sawAnswers(200);
    dying.process.kill("SIGKILL");
    await load.sawAnswers(200);
    // The last signature is six hours old.
    for (const { database } of mirrors) {
      await database.query("update mirror_of set latest_at = latest_at - interval '6 hours', expires_at = now()");
    }
    for (const server of standing) {
      await waitFor(
        "a stale mirror",
        () => statusOf(server, shown[0] as number),
        (status) => status === 503,
      );
    }
    await run(first, "mirror", "take-over", "--basis", "The publisher has died", "--yes");
    await waitFor(
      "the take-over",
      () => statusOf(standing[0] as ProofServer, shown[0] as number),
      (status) => status === 200,
    );
    await load.sawAnswers(200);
    await publish(first, after.privatePath);
    await appendFile(keyring, after.publicPem);
    await followAll([second, third]);
    for (const server of standing.slice(1)) {
      await waitFor(
        "a mirror of the new publisher",
        () => statusOf(server, shown[0] as number),
        (status) => status === 200,
      );
    }
    const counts = await load.stop();
    for (const one of [second, third]) await requireEqual(first, one);

    // The dead publisher comes back with another history.
    const successor = published;
    await run(publisher, "passport", "hide", `${shown[10]}`, "--yes");
    await publish(publisher, before.privatePath);
    await assert.rejects(follow(second), /another history|older than/);
    files.show(successor);

    await erase(first, erasedAfter);
    await run(first, "import", oldest, "--older");
    await publish(first, after.privatePath);
    await followAll([second, third]);
    for (const [index, one] of mirrors.entries()) {
      if (index > 0) await requireEqual(first, one);
      for (const id of [hidden, erasedBefore, erasedAfter]) {
        const server = standing[index] as ProofServer;
        await waitFor(
          `person ${id} to be gone`,
          () => statusOf(server, id),
          (status) => status === 404,
        );
      }
    }
    await runCredence([(standing[1] as ProofServer).address, "--rate", "500"], {}, KIT);
    return { ...figures, ...counts };
  } finally {
    files.close();
    for (const server of servers) if (server.process.exitCode === null) await server.stop();
  }
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

const listIds = ({ database }: ProofDatabase, count: number): Promise<number[]> =>
  queryColumn(database, "select passport_id from passport_document order by passport_id limit $1", [count]);

/** Lines of one person in a hundred, with other scores. */
async function changeOnePercent({ database }: ProofDatabase, path: string, people: number): Promise<void> {
  const lines = await queryColumn<string>(
    database,
    `select jsonb_set(jsonb_build_object('passport', (left(body, -1) || tail)::jsonb, 'credentials', '[]'::jsonb),
       '{passport,connections_count}', '77')::text
     from passport_document where passport_id % 100 = 0 order by passport_id`,
  );
  assert.ok(lines.length >= people / 200);
  await writeFile(path, `${lines.join("\n")}\n`);
}

async function requireEqual(publisher: ProofDatabase, mirror: ProofDatabase): Promise<void> {
  assert.deepEqual(findDifferences(await observe(mirror.database), await observe(publisher.database)), []);
  assert.equal(await queryValue(mirror.database, "select count(*) from mirror_absent"), 0);
}

const statusOf = async ({ address }: ProofServer, id: number): Promise<number> =>
  (await fetch(`${address}/api/v1/passports/${id}`)).status;

/** An application that asks the servers in order, until one has an answer that is not 503. */
function startLoad(servers: readonly ProofServer[], ids: readonly number[]) {
  const counts = { requests: 0, answered: 0, unavailable: 0 };
  let isStopped = false;
  const ask = async (id: number): Promise<void> => {
    for (const { address } of servers) {
      const response = await fetch(`${address}/api/v1/passports/${id}`).catch(() => null);
      const body = (await response?.json().catch(() => null)) as { passport?: { passport_id: number } } | null;
      if (response === null || body === null || response.status === 503) continue;
      assert.deepEqual([response.status, body.passport?.passport_id], [200, id], address);
      counts.answered += 1;
      return;
    }
    counts.unavailable += 1;
    await setTimeout(10);
  };
  const client = async (start: number) => {
    for (let at = start; !isStopped; at += CLIENTS) {
      counts.requests += 1;
      await ask(ids[at % ids.length] as number);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
  // A failure is thrown by `stop`, and by whoever waits.
  clients.catch(() => {});
  return {
    async sawAnswers(count: number) {
      const until = counts.answered + count;
      await Promise.race([
        waitFor(
          "answers",
          () => counts.answered,
          (answered) => answered >= until,
        ),
        clients,
      ]);
    },
    async stop() {
      isStopped = true;
      await clients;
      return counts;
    },
  };
}
