import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test } from "vitest";
import { inventPopulation } from "#demo/invent/population.ts";
import { createFieldCounts } from "#snapshots/format/field-counts.ts";
import { collectQuickly, OLD_KEY } from "#testing/collect-quickly.ts";
import { testFolder } from "#testing/folder.ts";
import { checkRate, type OldServer, oldServer } from "#testing/old-server.ts";
import { person } from "#testing/people.ts";
import { withoutScore } from "#testing/quirks.ts";
import { readSnapshotLines, readSnapshotPeople } from "#testing/read-snapshot.ts";
import { whenDone } from "#testing/when-done.ts";
import { collectFiles } from "./collect-files.ts";
import { REJECT_NULLS } from "./null-values.ts";
import { reportPathOf } from "./state-folder.ts";

const inventUnmerged = (seed: number, size: number): Person[] =>
  [...inventPopulation(seed, size)].filter(({ passport }) => !passport.merged);

const start = async (...args: Parameters<typeof oldServer>): Promise<OldServer> => {
  const server = await oldServer(...args);
  whenDone(server.close);
  return server;
};
/** Run by hand with 2,000. */
const QUIRKY_PEOPLE = 200;

/** All social accounts have counts, as texts or as numbers. */
function withCounts(someone: Person, print: (count: number) => string | number): Person {
  const passport_socials = someone.passport.passport_socials.map((social, index) => ({
    ...social,
    ...{ follower_count: print(index * 1_234), following_count: index % 2 === 0 ? null : print(index) },
  }));
  return { ...someone, passport: { ...someone.passport, passport_socials } as Person["passport"] };
}

/** Fields that V1 does not have are kept only if they have the type that clients expect. */
function withNumberForName(someone: Person): Person {
  const passport_profile = { ...someone.passport.passport_profile, name: 7 };
  return { ...someone, passport: { ...someone.passport, passport_profile } as never };
}

const outcomesIn = (out: string) =>
  readFileSync(reportPathOf(out), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ outcome }) => outcome !== "collected");

describe("collectServer", () => {
  test("collects everybody from a server whose people change and whose responses fail", async () => {
    const people = inventUnmerged(3, 210);
    const server = await start(
      people,
      { refused: 0.02, failed: 0.03, reset: 0.02, slow: 0.01, changed: 0.2, replaced: 0.01 },
      { extra: true },
    );
    const out = join(testFolder(), "out");
    const { counts, plans, passed, found } = await collectQuickly(server.address, out);
    const collected = await readSnapshotPeople(out);
    const ids = collected.map(({ passport }) => passport.passport_id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    expect(server.residents().filter((id) => !ids.includes(id))).toEqual([]);
    expect(collected.filter((someone) => !server.hasBeen(someone))).toEqual([]);
    expect(counts).toMatchObject({ collected: ids.length, rejected: 0, failed: 0 });
    expect(found).toBeGreaterThanOrEqual(people.length);
    expect(plans).toEqual([
      {
        people: people.length,
        isResumed: false,
        hasMore: false,
        done: 0,
        requests: 2 * people.length + 6,
        seconds: expect.any(Number),
      },
    ]);
    expect(passed.at(-1)?.newPeople).toBe(0);
    expect(passed.length).toBeGreaterThan(1);
    checkRate(server.arrivals, 1_000, 2);
    expect([...server.requestHeaders]).toEqual([`test ${OLD_KEY}`]);
    const manifest = readFileSync(join(out, "manifest.json"), "utf8");
    expect(JSON.parse(manifest)).toMatchObject({ source: server.address, collected: { basis: "test" } });
    expect(manifest + readFileSync(reportPathOf(out), "utf8")).not.toContain(OLD_KEY);
    expect(existsSync(`${out}.state`)).toBe(false);
  });

  test("reports the ids of people who were deleted, failed, erased, or whose response is that of another person", async () => {
    const server = await start([1, 2, 3, 4, 5, 6].map((id) => person(id)));
    const get = server.people.get.bind(server.people);
    server.people.get = (id) => (id === 2 ? undefined : id === 3 ? get(4) : id === 6 ? (BROKEN as Person) : get(id));
    const out = join(testFolder(), "out");
    const { counts } = await collectQuickly(server.address, out, { findErased: async () => new Set([5]) });
    expect(counts).toMatchObject({ collected: 2, disappeared: 2, failed: 1, erased: 1 });
    expect(outcomesIn(out).sort((a, b) => a.passport_id - b.passport_id)).toEqual([
      { passport_id: 2, outcome: "disappeared", reason: "the server has it no more" },
      { passport_id: 3, outcome: "disappeared", reason: "the server answers with passport 4" },
      { passport_id: 5, outcome: "erased" },
      { passport_id: 6, outcome: "failed", reason: "the response has no passport_id" },
    ]);
  });

  test("a journal is continued; a torn last record is dropped; a damaged one is refused", async () => {
    const people = inventUnmerged(4, 30);
    const server = await start(people);
    const folder = testFolder();
    const out = join(folder, "out");
    const journal = `${out}.state/journal.ndjson`;
    const stopAfter = (people: number) => ({
      onFetched: (done: number) => {
        if (done === people) throw new Error("stopped");
      },
    });
    await expect(collectQuickly(server.address, out, stopAfter(10))).rejects.toThrow("stopped");
    expect(statSync(journal).mode & 0o077).toBe(0);
    expect(readFileSync(journal, "utf8")).not.toContain(OLD_KEY);
    const complete = readFileSync(journal);
    writeFileSync(journal, Buffer.concat([complete, Buffer.from('{"url":"/api/v1/passpo')]));
    await expect(collectQuickly(server.address, out, stopAfter(5))).rejects.toThrow("stopped");
    const before = server.requests();
    writeFileSync(journal, Buffer.concat([readFileSync(journal), Buffer.from("\0\0\0\0\n")]));
    const { plans, counts } = await collectQuickly(server.address, out);
    expect(plans[0]).toMatchObject({ isResumed: true, done: 15 });
    // The people that are left, and the second pass.
    expect(server.requests() - before).toBe(2 * (people.length - 15) + 1);
    expect(counts.collected).toBe(people.length);
    const other = join(folder, "other");
    await expect(collectQuickly(server.address, other, stopAfter(3))).rejects.toThrow("stopped");
    await expect(collectQuickly("http://127.0.0.1:9", other)).rejects.toThrow("belongs to another collection");
    const bytes = readFileSync(`${other}.state/journal.ndjson`);
    bytes[300] = 0;
    writeFileSync(`${other}.state/journal.ndjson`, bytes.toString("latin1").replace('"', ""), "latin1");
    await expect(collectQuickly(server.address, other)).rejects.toThrow("is damaged");
  });

  test("saved responses cannot be collected into the folder of an unfinished collection", async () => {
    const server = await start(inventUnmerged(4, 3));
    const folder = testFolder();
    const out = join(folder, "out");
    const onFetched = () => {
      throw new Error("stopped");
    };
    await expect(collectQuickly(server.address, out, { onFetched })).rejects.toThrow("stopped");
    const options = {
      source: "",
      collected: {},
      incomplete: false,
      unknownFields: "drop",
      nulls: REJECT_NULLS,
      since: null,
    } as const;
    const events = { findErased: async () => new Set<number>(), onRead: () => {}, onWritten: () => {} };
    const files = (path: string) => collectFiles([path], out, { ...options, ...events, fields: createFieldCounts() });
    await expect(files(join(folder, "raw"))).rejects.toThrow("belongs to a collection from a server");
    await expect(files(folder)).rejects.toThrow("is in a folder of responses");
    expect((await collectQuickly(server.address, out)).counts.collected).toBe(3);
  });

  test("a second process on the same folder is refused", async () => {
    const server = await start(inventUnmerged(5, 20));
    const out = join(testFolder(), "out");
    let second: unknown = null;
    await collectQuickly(server.address, out, {
      findErased: async () => {
        second = await collectQuickly(server.address, out).catch((error) => error);
        return new Set();
      },
    });
    expect(String(second)).toContain("Another process is collecting");
  });

  test("--ids: only these people, without the list", async () => {
    const server = await start(inventUnmerged(6, 20));
    const out = join(testFolder(), "out");
    const { counts, passed } = await collectQuickly(server.address, out, { ids: [3, 5, 999] });
    expect(counts).toMatchObject({ collected: 2, disappeared: 1 });
    expect(server.requests()).toBe(5);
    expect(passed).toEqual([]);
    expect((await readSnapshotPeople(out)).map(({ passport }) => passport.passport_id)).toEqual([3, 5]);
  });

  test("unknown fields are refused after the first page, and dropped if asked for", async () => {
    const server = await start(inventUnmerged(7, 110), {}, { extra: true });
    const out = join(testFolder(), "out");
    await expect(collectQuickly(server.address, out, { unknownFields: "refuse" })).rejects.toMatchObject({
      fields: [
        { field: "passport.created_at", count: 100 },
        { field: "passport.user", count: 100 },
      ],
    });
    expect(server.requests()).toBe(1);
    expect((await collectQuickly(server.address, out)).counts.collected).toBeGreaterThan(100);
  });

  test("a server that sends counts as numbers, null scores and unknown fields: nobody is rejected, null stays", async () => {
    const people = inventUnmerged(5, QUIRKY_PEOPLE).map((someone, index) =>
      withCounts(index % 3 === 0 ? withoutScore(someone) : someone, String),
    );
    const quirky = people.map((someone, index) =>
      withCounts(index === 0 ? withNumberForName(someone) : someone, Number),
    );
    const server = await start(quirky as Person[], {}, { extra: true });
    const out = join(testFolder(), "out");
    const fields = createFieldCounts();
    const { counts } = await collectQuickly(server.address, out, { fields });
    expect(counts).toMatchObject({ collected: people.length, rejected: 0, failed: 0 });
    const byId = people.toSorted((a, b) => a.passport.passport_id - b.passport.passport_id);
    const passports = (await readSnapshotPeople(out)).map(({ passport }) => passport);
    expect(passports).toEqual(byId.map(({ passport }) => passport));
    expect(fields.listUnknown()).toContainEqual({ field: "passport.passport_profile.name", count: 1 });
    const [{ count, conversion } = { count: 0, conversion: "" }] = fields.listConverted();
    expect(conversion).toBe("number to text");
    expect(count).toBeGreaterThan(0);
  });

  test("responses with wrong types are kept, so that they can be corrected", async () => {
    const server = await start([person(1), person(2)]);
    server.update(2, (someone) => ({
      ...someone,
      passport: { ...someone.passport, connections_count: "seven" as never },
    }));
    const out = join(testFolder(), "out");
    const { counts, keptResponses } = await collectQuickly(server.address, out);
    expect(counts).toMatchObject({ collected: 1, rejected: 1 });
    expect(keptResponses).toBe(`${out}-responses.ndjson`);
    expect(statSync(keptResponses as string).mode & 0o077).toBe(0);
    expect(readdirSync(join(out, "..")).sort()).toEqual(["out", "out-report.ndjson", "out-responses.ndjson"]);
  });

  test("--since: fetches what changed and a thirtieth of the rest; drops who is gone; keeps who fails", async () => {
    const people = inventUnmerged(8, 160);
    const server = await start(people);
    const folder = testFolder();
    await collectQuickly(server.address, join(folder, "0"));
    const full = server.requests();
    const [first, second, third] = people.map(({ passport }) => passport.passport_id) as number[] &
      [number, number, number];
    server.update(second, (someone) => ({ ...someone, passport: { ...someone.passport, score: 77 } }));
    server.people.delete(first);
    const broken = people.find(({ passport }) => passport.passport_id % 30 === 0)?.passport.passport_id as number;
    const get = server.people.get.bind(server.people);
    server.people.get = (id) => (id === broken ? (BROKEN as Person) : get(id));
    const { counts } = await collectQuickly(server.address, join(folder, "1"), { since: join(folder, "0") });
    expect(counts).toMatchObject({ collected: people.length - 1, disappeared: 1, failed: 1 });
    const found = new Map(
      (await readSnapshotPeople(join(folder, "1"))).map((someone) => [someone.passport.passport_id, someone]),
    );
    expect(found.get(second)?.passport.score).toBe(77);
    expect(found.has(first)).toBe(false);
    expect(found.has(broken)).toBe(true);
    expect(found.has(third)).toBe(true);
    expect(server.requests() - full).toBeLessThan(full / 10);
    const manifest = JSON.parse(readFileSync(join(folder, "1/manifest.json"), "utf8"));
    expect(manifest.collected).toEqual({ basis: "test", part: 0 });
    const lines = await readSnapshotLines(join(folder, "1"));
    await collectQuickly(server.address, join(folder, "2"), { since: join(folder, "1") });
    expect(await readSnapshotLines(join(folder, "2"))).toEqual(lines);
  });
});

const BROKEN = { passport: "none" } as unknown;
