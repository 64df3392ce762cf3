import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Person } from "@credence/contract/person.ts";
import type { Database } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { deleteDue } from "#mirror/manage/delete-due.ts";
import { type FollowOptions, follow } from "#mirror/manage/follow.ts";
import { publish } from "#mirror/manage/publish.ts";
import { listWallets } from "#people/facts/wallets.ts";
import { changePerson } from "#privacy/change-person.ts";
import { erasePerson } from "#privacy/erase-person.ts";
import { importLines } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { failAfter } from "./fail-after.ts";
import { findDifferences, observe, type Shown } from "./observe.ts";

// A publisher and a mirror, with what random operations do to them.

const PUBLISHER_KEY = "the key of the publisher, that nobody could ever guess";
export const MIRROR_KEY = "the key of the mirror, that nobody could ever guess, either";

/** The mirror's operator merges and erases these only, and the publisher changes none of them. */
export const OWN_MERGES = [281, 282, 283];
export const OWN_ERASURES = [291, 292, 293];
const MERGED_BELOW = 3;
/** The publisher erases nobody who has gained one, because it would erase those as well. */
const KEPT_WALLETS = new Set(OWN_ERASURES.map(wallet));
/** More than the guard of the mirror lets go at once. */
const MANY = Array.from({ length: 25 }, (_, index) => 200 + index);

const PEOPLE = 300;
const SHARED_WALLETS = 30;

/** Some further wallets are main wallets of others. */
const lineOf = (id: number, changes: { main?: number; further?: number[]; score?: number } = {}): Person =>
  person(id, {
    main_wallet: wallet(changes.main ?? id),
    verified_wallets: (changes.further ?? [1 + (id % SHARED_WALLETS)]).map(wallet),
    score: changes.score ?? 6,
  });

export const PUBLISHED_AT_FIRST = Array.from({ length: PEOPLE }, (_, index) => lineOf(index + 1));

export type Operation =
  | { does: "hide" | "unhide" | "unmerge" | "erase" | "own hide" | "own unhide"; id: number }
  | { does: "merge"; id: number; into: number }
  | { does: "import"; id: number; main: number; further: number[]; score: number }
  | { does: "own merge" | "own erase"; at: number }
  | { does: "publish" | "follow" | "replay" | "hide many" | "unhide many" | "accept" | "wait a month" }
  | { does: "follow with a fault" | "follow a publisher that breaks off"; after: number };

const keys = generateKeyPairSync("ed25519");

/** Serves a folder of the publisher. */
export async function serveFolder() {
  let folder = "";
  let breaksAfter = Number.POSITIVE_INFINITY;
  const server = createServer((request, response) => {
    breaksAfter -= 1;
    readFile(join(folder, request.url ?? ""))
      .then((bytes) => {
        if (breaksAfter >= 0) return void response.end(bytes);
        response.writeHead(200, { "content-length": bytes.length });
        response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      })
      .catch(() => response.writeHead(404).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    show: (path: string) => (folder = path),
    breakAfter: (requests: number) => (breaksAfter = requests),
    serveAll: () => (breaksAfter = Number.POSITIVE_INFINITY),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type FolderServer = Awaited<ReturnType<typeof serveFolder>>;

export async function writePublicKey(place: string): Promise<string> {
  const path = join(place, "publisher.pem");
  await writeFile(path, keys.publicKey.export({ type: "spki", format: "pem" }));
  return path;
}

export const followOptions = (url: string, publicKeyPath: string): FollowOptions => ({
  ...{ url, publicKeyPath, basis: "A proof", optOutKeys: [MIRROR_KEY], refreshStanding },
});

type Parts = {
  publisher: Database;
  mirror: Database;
  createFolder: () => string;
  server: FolderServer;
  options: FollowOptions;
};

export type World = ReturnType<typeof createWorld>;

export function createWorld({ publisher, mirror, createFolder, server, options }: Parts, seen: Record<string, number>) {
  const published: { folder: string; shown: Shown }[] = [];
  const decisions = { hidden: new Set<number>(), merged: new Set<number>(), erased: new Set<number>() };
  /** What the mirror has followed last. */
  let followed: Shown | null = null;
  const count = (name: string) => (seen[name] = (seen[name] ?? 0) + 1);

  /** A snapshot at once: in a new folder, none is too young. */
  async function publishNow(): Promise<void> {
    const folder = createFolder();
    await publish(publisher, { folder, privateKey: keys.privateKey, source: "https://publisher.test", sunsetAt: null });
    published.push({ folder, shown: await observe(publisher) });
  }

  const serveNewest = () => server.show(published.at(-1)?.folder as string);

  /** The mirror decides the same on a new mirror that follows the same snapshot. */
  async function decideAll(database: Database): Promise<void> {
    for (const id of decisions.merged)
      await changePerson(database, { action: "merge", passportId: id, into: id + MERGED_BELOW });
    for (const id of decisions.erased) await erasePerson(database, id, MIRROR_KEY);
    for (const id of decisions.hidden) await changePerson(database, { action: "hide", passportId: id });
  }

  async function followNow(): Promise<void> {
    serveNewest();
    await follow(mirror, options);
    followed = published.at(-1)?.shown ?? null;
    count("followed");
  }

  /** Whatever happens: readers see the snapshot before, or the one that is followed. */
  async function followBadly(fault: string, run: () => Promise<unknown>): Promise<void> {
    serveNewest();
    const before = await observe(mirror);
    const error = await run().then(
      () => null,
      (error: Error) => error,
    );
    if (error !== null) count(fault);
    const after = await observe(mirror);
    if (error !== null && findDifferences(after, before).length === 0) return;
    // It has failed too late to matter, or not at all.
    followed = published.at(-1)?.shown ?? null;
    await follow(mirror, options);
    assert.deepEqual(findDifferences(await observe(mirror), after), [], `after ${fault}: ${error?.message}`);
  }

  const change = async (database: Database, action: "hide" | "unhide" | "unmerge", passportId: number) =>
    (await changePerson(database, { action, passportId })).refusal === null;

  async function run(operation: Operation): Promise<void> {
    count(operation.does);
    switch (operation.does) {
      case "hide":
      case "unhide":
      case "unmerge":
        return void (await change(publisher, operation.does, operation.id));
      case "erase":
        if ((await listWallets(publisher, [operation.id])).some(({ address }) => KEPT_WALLETS.has(address))) return;
        return void (await erasePerson(publisher, operation.id, PUBLISHER_KEY));
      case "merge": {
        const { id: passportId, into } = operation;
        return void (await changePerson(publisher, { action: "merge", passportId, into }));
      }
      case "import":
        return void (await importLines(publisher, [lineOf(operation.id, operation)], { optOutKeys: [PUBLISHER_KEY] }));
      case "hide many":
      case "unhide many":
        for (const id of MANY) await change(publisher, operation.does === "hide many" ? "hide" : "unhide", id);
        return;
      case "own hide":
        if (await change(mirror, "hide", operation.id)) decisions.hidden.add(operation.id);
        return;
      case "own unhide":
        if (decisions.hidden.has(operation.id) && (await change(mirror, "unhide", operation.id)))
          decisions.hidden.delete(operation.id);
        return;
      case "own merge": {
        const passportId = OWN_MERGES[operation.at] as number;
        await changePerson(mirror, { action: "merge", passportId, into: passportId + MERGED_BELOW });
        return void decisions.merged.add(passportId);
      }
      case "own erase": {
        const id = OWN_ERASURES[operation.at] as number;
        await erasePerson(mirror, id, MIRROR_KEY);
        return void decisions.erased.add(id);
      }
      case "publish":
        return publishNow();
      case "follow":
        return followNow();
      case "accept":
        return void (await deleteDue(mirror, "accepted", [MIRROR_KEY]));
      case "wait a month":
        await mirror.query("update mirror_absent set delete_at = now()");
        return void (await deleteDue(mirror, "waiting", [MIRROR_KEY]));
      case "replay": {
        const old = published.at(-2);
        if (old === undefined || followed !== published.at(-1)?.shown) return;
        const before = await observe(mirror);
        server.show(old.folder);
        await assert.rejects(follow(mirror, options), /older than that/);
        return assert.deepEqual(findDifferences(await observe(mirror), before), []);
      }
      case "follow with a fault":
        return followBadly("failed", () => follow(failAfter(mirror, operation.after), options));
      case "follow a publisher that breaks off":
        server.breakAfter(operation.after);
        return followBadly("broken off", () => follow(mirror, options).finally(server.serveAll));
    }
  }

  return {
    url: server.url,
    run,
    publishNow,
    serveNewest,
    followNow,
    decideAll,
    newest: () => published.at(-1)?.shown as Shown,
  };
}
