import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test } from "vitest";
import { createFieldCounts } from "#snapshots/format/field-counts.ts";
import { collectQuickly } from "#testing/collect-quickly.ts";
import { runCommand } from "#testing/command.ts";
import { testFolder } from "#testing/folder.ts";
import { type OldServer, oldServer } from "#testing/old-server.ts";
import { credential, person } from "#testing/people.ts";
import { readSnapshotLines, readSnapshotPeople } from "#testing/read-snapshot.ts";
import { whenDone } from "#testing/when-done.ts";
import { collectFiles, type FilesOptions } from "./collect-files.ts";
import { REJECT_NULLS } from "./null-values.ts";
import { openPrevious } from "./previous.ts";
import { reportPathOf } from "./state-folder.ts";

const DAY_MS = 86_400_000;
const REPLACE = { parts: "zero", lists: "empty" } as const;

const start = async (people: readonly Person[], notFound: "V1" | "HTML" = "V1"): Promise<OldServer> => {
  const server = await oldServer(people, {}, { notFound });
  whenDone(server.close);
  return server;
};

const withNull = (someone: Person, ...names: string[]): Person => ({
  ...someone,
  passport: { ...someone.passport, ...Object.fromEntries(names.map((name) => [name, null])) } as never,
});
const makeNull =
  (...names: string[]) =>
  (someone: Person) =>
    withNull(someone, ...names);

const linesIn = (out: string) =>
  readFileSync(reportPathOf(out), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const outcomeOf = (out: string, id: number) => linesIn(out).filter(({ passport_id }) => passport_id === id);
const manifestOf = (out: string) => JSON.parse(readFileSync(join(out, "manifest.json"), "utf8"));
const idsIn = async (out: string) => (await readSnapshotPeople(out)).map(({ passport }) => passport.passport_id);

const fromFiles = (paths: string[], out: string, options: Partial<FilesOptions> = {}) =>
  collectFiles(paths, out, {
    ...{ source: "test", collected: {}, incomplete: false, unknownFields: "drop", nulls: REJECT_NULLS, since: null },
    ...{ fields: createFieldCounts(), findErased: async () => new Set(), onRead: () => {}, onWritten: () => {} },
    ...options,
  });

/** Makes a snapshot look older. */
function age(out: string, days: number): void {
  const manifest = manifestOf(out);
  const before = (time: string) => new Date(Date.parse(time) - days * DAY_MS).toISOString();
  manifest.created_at = before(manifest.created_at);
  for (const entry of manifest.collected.kept ?? []) entry.since = before(entry.since);
  writeFileSync(join(out, "manifest.json"), JSON.stringify(manifest));
}

describe("null where V1 has none", () => {
  const noList = (someone: Person): Person => ({
    passport: {
      ...withNull(someone, "verified_wallets", "passport_socials").passport,
      passport_profile: { ...someone.passport.passport_profile, tags: null as never },
    },
    credentials: null as never,
  });
  const people = [
    withNull(person(1), "activity_score", "skills_score"),
    withNull(person(2, {}, { credentials: [credential("a")] }), "score", "activity_score"),
    noList(person(3)),
    person(4, { score: null }),
    withNull(person(5), "connections_count"),
  ];

  test("is rejected by default, and replaced and counted if asked for; a null score stays", async () => {
    const server = await start(people);
    const folder = testFolder();
    const strict = join(folder, "strict");
    expect(await collectQuickly(server.address, strict)).toMatchObject({
      counts: { collected: 1, rejected: 4, failed: 0 },
      replaced: {},
    });
    const lenient = join(folder, "lenient");
    const replaced = {
      "passport.activity_score": 2,
      "passport.skills_score": 1,
      "passport.verified_wallets": 1,
      "passport.passport_socials": 1,
      "passport.passport_profile.tags": 1,
      credentials: 1,
    };
    expect(await collectQuickly(server.address, lenient, { nulls: REPLACE })).toMatchObject({
      counts: { collected: 4, rejected: 1 },
      replaced,
    });
    expect(manifestOf(lenient).collected).toEqual({ basis: "test", replaced });
    expect(outcomeOf(lenient, 1)).toEqual([
      { passport_id: 1, outcome: "collected", replaced: ["passport.activity_score", "passport.skills_score"] },
    ]);
    expect(await readSnapshotPeople(lenient)).toEqual([
      person(1, { activity_score: 0, skills_score: 0 }),
      person(2, { score: null, activity_score: 0 }, { credentials: [credential("a")] }),
      person(3, { verified_wallets: [], passport_socials: [] }),
      person(4, { score: null }),
    ]);
    // The list, twice, shows null that was replaced: only person 5, who is not in the snapshot, is fetched.
    const requests = server.requests();
    await collectQuickly(server.address, join(folder, "tonight"), { nulls: REPLACE, since: lenient });
    expect(server.requests() - requests).toBe(2 + 2);
    expect(await readSnapshotLines(join(folder, "tonight"))).toEqual(await readSnapshotLines(lenient));

    // The kept responses, with other options and without a request.
    const files = [`${strict}-responses.ndjson`];
    const corrected = await fromFiles(files, join(folder, "corrected"), { nulls: REPLACE });
    expect(corrected).toMatchObject({ counts: { collected: 4, rejected: 1 }, replaced });
    expect(await readSnapshotLines(join(folder, "corrected"))).toEqual(await readSnapshotLines(lenient));
    // Everything that a collection writes can be read again.
    const all = [lenient, `${strict}-responses.ndjson`, reportPathOf(lenient)];
    const again = await fromFiles(all, join(folder, "again"), { nulls: REPLACE });
    expect(again.counts).toMatchObject({ collected: 4, rejected: 1 });
    expect(linesIn(join(folder, "again")).filter(({ file }) => file !== undefined)).toEqual([]);
  });

  test("the commands say what to do, and what was replaced", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "people.json"), people.map((someone) => JSON.stringify(someone)).join("\n"));
    const run = (out: string, ...options: string[]) =>
      runCommand(["collect", "--from-files", join(folder, "people.json"), "--out", join(folder, out), ...options]);
    const strict = await run("strict");
    expect(strict).toMatchObject({ code: 3, stderr: expect.stringContaining("--null-parts zero") });
    const lenient = await run("lenient", "--null-parts", "zero", "--null-lists", "empty");
    expect(lenient.code).toBe(3);
    expect(lenient.stderr).toMatch(/Null was replaced:\n +2 {2}passport.activity_score$/m);
    expect(lenient.stderr).toContain("passport.connections_count is null, not an integer");
    const partly = await run("partly", "--null-parts", "zero", "--json");
    expect(JSON.parse(partly.stdout)).toMatchObject({
      collected: 3,
      rejected: 2,
      replaced: { "passport.activity_score": 2, "passport.skills_score": 1 },
      kept: { people: 0 },
    });
  });
});

describe("--since: a person whose responses cannot be used", () => {
  test("keeps the record for 30 days, with its age; then the person is dropped; a valid response ends it", async () => {
    const server = await start([1, 2, 3].map((id) => person(id, { score: id })));
    const folder = testFolder();
    const at = (name: string) => join(folder, name);
    await collectQuickly(server.address, at("0"));
    age(at("0"), 2);
    const since = manifestOf(at("0")).created_at;
    server.update(2, makeNull("activity_score"));
    const first = await collectQuickly(server.address, at("1"), { since: at("0") });
    expect(first).toMatchObject({ counts: { collected: 2, rejected: 1 }, kept: { people: 1, oldest_days: 2 } });
    expect(outcomeOf(at("1"), 2)).toEqual([
      { passport_id: 2, outcome: "rejected", reason: "passport.activity_score must be number", kept_days: 2 },
    ]);
    expect(manifestOf(at("1")).collected.kept).toEqual([{ since, passport_ids: [2] }]);
    expect(await idsIn(at("1"))).toEqual([1, 2, 3]);
    // The responses of this run alone, corrected by an option: as if they had come from the server.
    const options = { since: at("0"), nulls: REPLACE };
    const corrected = await fromFiles([`${at("1")}-responses.ndjson`], at("corrected"), options);
    expect(corrected).toMatchObject({ counts: { collected: 3, rejected: 0 }, kept: { people: 0 } });
    expect(manifestOf(at("corrected")).collected).toEqual({ part: 0, replaced: { "passport.activity_score": 1 } });

    // A failed request is no answer: the age goes on.
    const get = server.people.get.bind(server.people);
    server.people.get = (id) => (id === 2 ? ({ passport: "none" } as never) : get(id));
    await collectQuickly(server.address, at("2"), { since: at("1") });
    expect(manifestOf(at("2")).collected.kept).toEqual([{ since, passport_ids: [2] }]);
    server.people.get = get;

    age(at("2"), 29);
    const last = await collectQuickly(server.address, at("3"), { since: at("2") });
    expect(last).toMatchObject({ counts: { collected: 2, rejected: 1 }, kept: { people: 0 } });
    expect(outcomeOf(at("3"), 2)[0].reason).toContain("more than 30 days old");
    expect(await idsIn(at("3"))).toEqual([1, 3]);

    server.update(2, () => person(2, { score: 9 }));
    await collectQuickly(server.address, at("4"), { since: at("1") });
    expect(manifestOf(at("4")).collected).toEqual({ basis: "test", part: 1 });
    expect((await readSnapshotPeople(at("4")))[1]?.passport.score).toBe(9);
  });

  test("a 404 drops a person at once in the form of V1, otherwise after 30 days; a 410 ends the run", async () => {
    const folder = testFolder();
    const at = (name: string) => join(folder, name);
    for (const notFound of ["V1", "HTML"] as const) {
      const server = await start([person(1), person(2)], notFound);
      const [before, after] = [at(`${notFound} 0`), at(`${notFound} 1`)];
      await collectQuickly(server.address, before);
      server.people.delete(2);
      server.update(1, (someone) => someone);
      const { counts } = await collectQuickly(server.address, after, { since: before });
      expect(counts).toMatchObject(
        notFound === "V1" ? { disappeared: 1, rejected: 0 } : { disappeared: 0, rejected: 1 },
      );
      expect(await idsIn(after)).toEqual(notFound === "V1" ? [1] : [1, 2]);
      if (notFound === "V1") continue;
      expect(outcomeOf(after, 2)).toMatchObject([{ reason: "the response with status 404 is not in the form of V1" }]);
      age(after, 31);
      expect((await collectQuickly(server.address, at("last"), { since: after })).counts).toMatchObject({
        disappeared: 1,
      });
      server.setStatus(410);
      await expect(collectQuickly(server.address, at("gone"), { since: before })).rejects.toThrow("V1 is gone");
      expect(() => manifestOf(at("gone"))).toThrow("ENOENT");
    }
  });

  test("the manifest of a snapshot says since when people are kept", async () => {
    const server = await start([person(1), person(2)]);
    const out = join(testFolder(), "out");
    await collectQuickly(server.address, out);
    const manifest = manifestOf(out);
    const since = "2026-01-01T00:00:00.000Z";
    manifest.collected.kept = [{ since, passport_ids: [2] }];
    writeFileSync(join(out, "manifest.json"), JSON.stringify(manifest));
    const previous = await openPrevious(out, REJECT_NULLS);
    expect([previous.keptSince(1), previous.keptSince(2)]).toEqual([null, since]);
  });
});
