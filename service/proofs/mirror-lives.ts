import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { type Database, openDatabase } from "#core/database/database.ts";
import { migrate } from "#core/database/migrations.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { follow } from "#mirror/manage/follow.ts";
import { savePeople } from "#people/write/save-people.ts";
import { administer, createDatabase, dropDatabase, markRun, uniqueName, urlOf } from "#testing/server.ts";
import { startCredence, withProofFolder } from "./harness.ts";
import { findDifferences, observe } from "./mirror-lives/observe.ts";
import {
  createWorld,
  followOptions,
  MIRROR_KEY,
  type Operation,
  OWN_ERASURES,
  OWN_MERGES,
  PUBLISHED_AT_FIRST,
  serveFolder,
  type World,
  writePublicKey,
} from "./mirror-lives/world.ts";

// Most operations meet others on the same people.
const id = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 8 }) },
  { weight: 1, arbitrary: fc.integer({ min: 9, max: 250 }) },
);
const wallets = fc.constantFrom(1, 2, 3, 4, 5, 301, 302, ...OWN_ERASURES);
const does = <Does extends string>(...names: Does[]) => fc.constantFrom(...names);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: does("hide", "unhide", "unmerge", "erase"), id }) },
  { weight: 4, arbitrary: fc.record({ does: does("merge"), id, into: id }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ does: does("import"), id, main: fc.oneof(wallets, id), score: fc.nat(100) },
      further: fc.uniqueArray(wallets, { maxLength: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: does("own hide", "own unhide"), id }) },
  { weight: 1, arbitrary: fc.record({ does: does("own merge", "own erase"), at: fc.nat(OWN_MERGES.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ does: does("hide many", "unhide many", "accept", "wait a month", "replay") }) },
  { weight: 3, arbitrary: fc.record({ does: does("publish", "follow") }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: does("follow with a fault", "follow a publisher that breaks off"),
      after: fc.oneof(fc.nat(3), fc.nat(90)),
    }),
  },
);
const lives = fc.array(operation, { minLength: 5, maxLength: 40, size: "max" });

const PROGRESS_EVERY = 25;

/**
 * Random lives of 300 people on a publisher, which a mirror follows at random moments, with faults at every
 * statement and request. Whenever the mirror has followed, V1 shows there what the publisher showed, but
 * for what was decided on the mirror itself: then it shows what a new mirror shows on which the same is
 * decided. After a fault, it shows what it showed before, or all that it follows.
 */
export async function proveMirrorLives(runs: number, kills = Math.ceil(runs / 25), seed?: number) {
  const mark = await markRun();
  const templates = { publisher: uniqueName(), mirror: uniqueName() };
  const seen: Record<string, number> = {};
  let done = 0;
  const server = await serveFolder();
  try {
    await administer(async (admin) => {
      for (const name of Object.values(templates))
        await createDatabase(admin, name, "template template0 encoding 'UTF8'");
    });
    for (const name of Object.values(templates)) await migrate(urlOf(name));
    await withOpen(templates.publisher, async (database) => {
      await savePeople(database, PUBLISHED_AT_FIRST);
      await refreshStanding(database);
    });
    await withProofFolder(async (place) => {
      const options = followOptions(server.url, await writePublicKey(place));
      let folder = 0;
      const createFolder = () => {
        folder += 1;
        const path = join(place, `${folder}`);
        mkdirSync(path);
        return path;
      };
      const live = (work: (world: World, mirror: Database, url: string) => Promise<void>) =>
        withCopies([templates.publisher, templates.mirror, templates.mirror], async ([publisher, mirror, fresh]) => {
          const [publishing, mirroring, checking] = [open(publisher), open(mirror), open(fresh)];
          try {
            const parts = { publisher: publishing, mirror: mirroring, createFolder, server, options };
            const world = createWorld(parts, seen);
            await world.publishNow();
            await world.followNow();
            await work(world, mirroring, urlOf(mirror));
            await requireSame(world, mirroring, checking, () => follow(checking, options));
          } finally {
            for (const database of [publishing, mirroring, checking]) await database.end();
          }
        });
      await fc.assert(
        fc.asyncProperty(lives, (operations) =>
          live(async (world) => {
            for (const operation of operations) await world.run(operation);
            await world.publishNow();
            await world.followNow();
            done += 1;
            if (done % PROGRESS_EVERY === 0) process.stderr.write(`${done} of ${runs}\n`);
          }),
        ),
        { numRuns: runs, endOnFailure: true, ...(seed !== undefined && { seed }) },
      );
      for (const operations of fc.sample(lives, { numRuns: kills, ...(seed !== undefined && { seed }) })) {
        await live((world, mirror, url) => liveKilled(world, mirror, url, operations, options.publicKeyPath, seen));
      }
    });
  } finally {
    server.close();
    await administer(async (admin) => {
      for (const name of Object.values(templates)) await dropDatabase(admin, name);
    });
    await mark.end();
  }
  return { runs, kills, ...Object.fromEntries(Object.entries(seen).toSorted()) };
}

const open = (name: string): Database =>
  openDatabase({ url: urlOf(name), name: "proof", maxConnections: 6, statementTimeoutMs: 0 });

async function withOpen(name: string, work: (database: Database) => Promise<void>): Promise<void> {
  const database = open(name);
  try {
    await work(database);
  } finally {
    await database.end();
  }
}

async function withCopies(
  templates: [string, string, string],
  work: (names: [string, string, string]) => Promise<void>,
): Promise<void> {
  const names = templates.map(uniqueName) as [string, string, string];
  try {
    await administer(async (admin) => {
      for (const [index, name] of names.entries()) await createDatabase(admin, name, `template ${templates[index]}`);
    });
    await work(names);
  } finally {
    await administer(async (admin) => {
      for (const name of names) await dropDatabase(admin, name);
    });
  }
}

/** The mirror shows what the publisher showed, or what a new mirror shows that has decided the same. */
async function requireSame(
  world: World,
  mirror: Database,
  fresh: Database,
  followFresh: () => Promise<unknown>,
): Promise<void> {
  await followFresh();
  assert.deepEqual(findDifferences(await observe(fresh), world.newest()), [], "a new mirror");
  await world.decideAll(fresh);
  assert.deepEqual(findDifferences(await observe(mirror), await observe(fresh)), [], "the mirror");
}

/** Real processes that follow are killed at random moments, while somebody reads. */
async function liveKilled(
  world: World,
  mirror: Database,
  url: string,
  operations: readonly Operation[],
  publicKeyPath: string,
  seen: Record<string, number>,
): Promise<void> {
  for (const operation of operations) if (!operation.does.startsWith("follow")) await world.run(operation);
  await world.publishNow();
  const before = await observe(mirror);
  const args = ["mirror", world.url, "--public-key", publicKeyPath, "--basis", "A proof"];
  const environment = { DATABASE_URL: url, OPT_OUT_KEY: MIRROR_KEY };
  world.serveNewest();
  const { process, ended } = startCredence(args, environment);
  const killAt = performance.now() + 400 + Math.random() * 1_200;
  const states = [before];
  while (performance.now() < killAt && process.exitCode === null) {
    states.push(await observe(mirror));
    await setTimeout(5);
  }
  process.kill("SIGKILL");
  const { code } = await ended;
  if (code === null) seen.killed = (seen.killed ?? 0) + 1;
  states.push(await observe(mirror));
  // 3: the operator has to decide on people who are missing.
  const followed = await startCredence(args, environment).ended;
  assert.ok(followed.code === 0 || followed.code === 3, followed.stderr);
  const after = await observe(mirror);
  for (const state of states) {
    const isBefore = findDifferences(state, before).length === 0;
    assert.deepEqual(isBefore ? [] : findDifferences(state, after), [], "a reader sees all of a snapshot, or nothing");
  }
}
