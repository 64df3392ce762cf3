import { randomInt } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test } from "vitest";
import { inventPopulation } from "#demo/invent/population.ts";
import { inV1Order } from "#people/present/credentials.ts";
import { createFieldCounts } from "#snapshots/format/field-counts.ts";
import { testFolder } from "#testing/folder.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { readSnapshotLines, readSnapshotPeople } from "#testing/read-snapshot.ts";
import { collectFiles, type FilesOptions } from "./collect-files.ts";
import { REJECT_NULLS } from "./null-values.ts";
import { reportPathOf } from "./state-folder.ts";

const json = JSON.stringify;
const passportOf = ({ passport }: Person) => ({ passport });
const credentialsOf = ({ credentials }: Person) => ({ passport_credentials: credentials });
const listOf = (people: readonly Person[]) => ({
  passports: people.map(({ passport: { merged, passport_socials, ...listed } }) => listed),
  pagination: { current_page: 1, last_page: 1, total: people.length },
});

type Files = Record<string, string | Buffer>;

/** Collects files with these names and contents. */
async function collect(files: Files, options: Partial<FilesOptions> = {}) {
  const folder = testFolder();
  const out = join(folder, "out");
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, "raw", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const fields = createFieldCounts();
  const collected = await collectFiles([join(folder, "raw")], out, {
    ...{
      source: "test",
      collected: {},
      incomplete: false,
      unknownFields: "refuse",
      nulls: REJECT_NULLS,
      since: null,
      fields,
    },
    findErased: async () => new Set(),
    onRead: () => {},
    onWritten: () => {},
    ...options,
  });
  const report = readFileSync(reportPathOf(out), "utf8");
  const outcomes = report
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(readdirSync(folder).sort()).toEqual(["out", "out-report.ndjson", "raw"]);
  for (const name of ["out", "out-report.ndjson", "out/manifest.json", "out/people-00001.ndjson.zst"]) {
    expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
  }
  return { ...collected, outcomes, fields, people: await readSnapshotPeople(out), lines: await readSnapshotLines(out) };
}

describe("collectFiles", () => {
  const people = [...inventPopulation(7, 60)].filter(({ passport }) => !passport.merged);
  const expected = people.map((someone) => json({ ...someone, credentials: someone.credentials.toSorted(inV1Order) }));
  const at = "2026-01-02T03:04:05Z";
  const line = (url: string, body: unknown, more = {}) => `${json({ url, status: 200, at, body, ...more })}\n`;
  const linesOf = (list: readonly Person[]) =>
    list
      .map(
        (someone) =>
          line(`https://old.example/api/v1/passports/${someone.passport.passport_id}`, passportOf(someone)) +
          line(
            `https://old.example/api/v1/passport_credentials?passport_id=${someone.passport.passport_id}`,
            credentialsOf(someone),
          ),
      )
      .join("");

  test("gives the same bytes for files, lines, arrays, pretty-printed and compressed JSON, in any order", async () => {
    const files: Files = {};
    for (const someone of people.toSorted(() => randomInt(3) - 1)) {
      const id = someone.passport.passport_id;
      files[`passports/${id}.json`] = json(passportOf(someone), null, 2);
      files[`credentials-${id}.json`] = json({ passport_credentials: someone.credentials.toReversed() });
    }
    const ways: Files[] = [
      { ...files, "list.json": json([listOf(people)]) },
      { "lines.ndjson": linesOf(people) },
      { "lines.ndjson.gz": gzipSync(linesOf(people.toReversed())) },
      { "text.ndjson": linesOf(people).replaceAll(/"body":(.*)\}\n/g, (_, body) => `"body":${json(body)}}\n`) },
      { "snapshot.json": json(people, null, 1) },
    ];
    for (const way of ways) {
      const { lines, counts } = await collect(way);
      expect(lines).toEqual(expected);
      expect(counts).toMatchObject({ collected: people.length, rejected: 0, incomplete: 0, tie: 0 });
    }
  });

  test("the newest response wins, by its time, else by last_calculated_at; ties are reported", async () => {
    const calculated = (id: number, score: number, day: string) => ({
      passport: { ...person(id, { score }).passport, last_calculated_at: `2024-01-${day}T00:00:00.000Z` },
    });
    const { people: found, outcomes } = await collect({
      "a.json": json([calculated(1, 10, "05"), calculated(1, 20, "07"), calculated(1, 30, "06")]),
      "b.ndjson":
        line("/api/v1/passports/2", calculated(2, 10, "09"), { at: "2026-01-01T00:00:00Z" }) +
        line("/api/v1/passports/2", calculated(2, 20, "01"), { at: "2026-01-01T00:00:02+00:00" }) +
        line("/api/v1/passports/2", calculated(2, 30, "09"), { at: "2026-01-01T00:00:01Z" }),
      "c.json": json([calculated(3, 1, "01"), calculated(3, 2, "01"), calculated(4, 1, "01"), calculated(4, 1, "01")]),
      ...Object.fromEntries([1, 2, 3, 4].map((id) => [`credentials ${id}.json`, json({ passport_credentials: [] })])),
    });
    expect(found.map(({ passport }) => passport.score)).toEqual([20, 20, 2, 1]);
    expect(outcomes.filter(({ outcome }) => outcome === "tie")).toEqual([
      { passport_id: 3, outcome: "tie", reason: "equally new passport responses differ" },
    ]);
  });

  test.each([
    ["01", "01", "02"],
    ["01", "02", "01"],
    ["02", "01", "01"],
  ])("older responses that differ are no tie, in any order: days %s, %s, %s", async (...days) => {
    const responses = days.map((day, score) => ({
      passport: { ...person(1, { score }).passport, last_calculated_at: `2024-01-${day}T00:00:00.000Z` },
    }));
    const { people: found, counts } = await collect({
      "passports.json": json(responses),
      "credentials 1.json": json({ passport_credentials: [] }),
    });
    expect(found.map(({ passport }) => passport.score)).toEqual([days.indexOf("02")]);
    expect(counts).toMatchObject({ collected: 1, tie: 0 });
  });

  test("people without all responses are listed, and included only if asked for", async () => {
    const complete = person(1, { score: 1 }, { credentials: [credential("a")] });
    const files: Files = {
      "list.json": json(listOf([person(1, { score: 99 }), person(2), person(3)])),
      "passport-1.json": json(passportOf(complete)),
      "credentials-1.json": json(credentialsOf(complete)),
      "passport-3.json": json(passportOf(person(3, { merged: true }))),
      "credentials-4.json": json({ passport_credentials: [] }),
    };
    const strict = await collect(files);
    expect(strict.people).toEqual([complete]);
    expect(strict.outcomes).toEqual([
      { passport_id: 1, outcome: "collected" },
      { passport_id: 2, outcome: "incomplete", reason: "has no merged and passport_socials and credentials" },
      { passport_id: 3, outcome: "incomplete", reason: "has no credentials" },
      { passport_id: 4, outcome: "rejected", reason: "has credentials but no passport" },
    ]);
    const lenient = await collect(files, { incomplete: true });
    expect(lenient.people).toEqual([complete, person(2), person(3, { merged: true })]);
    expect(lenient.counts).toMatchObject({ collected: 1, incomplete: 2, rejected: 1 });
  });

  test("responses that cannot be used are rejected with the reason", async () => {
    const { outcomes, counts } = await collect({
      "a/credentials.json": json({ passport_credentials: [] }),
      "several-5.json": `${json({ passport_credentials: [] })}${json({ passport_credentials: [credential("a")] })}`,
      "by-wallet.ndjson": line(`/api/v1/passport_credentials?passport_id=${wallet(1)}`, { passport_credentials: [] }),
      "not-found.ndjson": line("/api/v1/passports/7", { error: "Resource not found." }, { status: 404 }),
      "error.json": json({ error: "Unauthorized" }),
      "other.json": json({ hello: "you" }),
      "deep.json": `{"passport":{"passport_id":1,"score":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
      "page.html": "<html></html>",
      "cut.json": json(passportOf(person(9))).slice(0, 50),
      "no-id.json": json({ passport: { ...person(1).passport, passport_id: "1.5" } }),
      "bad-time.ndjson": line("/api/v1/passports/1", passportOf(person(1)), { at: "yesterday" }),
      "damaged.gz": gzipSync("{}").subarray(0, 12),
    });
    expect(counts.rejected).toBe(13);
    const reasons = outcomes.map(({ file, reason }) => `${file}: ${reason}`.replaceAll(/[^\s"]*\/raw\//g, "")).sort();
    expect(reasons).toMatchInlineSnapshot(`
      [
        "a/credentials.json: credentials do not contain their passport id, and the name of the file has none",
        "bad-time.ndjson: \`at\` is not a time",
        "by-wallet.ndjson: credentials of a wallet that no passport of the input lists",
        "cut.json: it ends within a JSON object",
        "damaged.gz: "damaged.gz" cannot be decompressed with gzip: unexpected end of file.",
        "deep.json: a response is nested too deeply",
        "error.json: is an error response",
        "no-id.json: its passport_id is not an integer from 1 to 2^53 - 1",
        "not-found.ndjson: its status is 404, not 200",
        "other.json: is not a V1 response: it has no passports, passport or passport_credentials",
        "page.html: it is not JSON, or contains values other than objects",
        "several-5.json: its file has several credentials without a URL, so the name of the file cannot be their passport id",
        "several-5.json: its file has several credentials without a URL, so the name of the file cannot be their passport id",
      ]
    `);
  });

  test("a link in a folder is not followed", async () => {
    const folder = testFolder();
    mkdirSync(join(folder, "raw"));
    symlinkSync("/etc/hostname", join(folder, "raw/link.json"));
    const options = {
      source: "",
      collected: {},
      incomplete: false,
      unknownFields: "refuse" as const,
      nulls: REJECT_NULLS,
      since: null,
    };
    const events = { findErased: async () => new Set<number>(), onRead: () => {}, onWritten: () => {} };
    const { counts, reasons } = await collectFiles([join(folder, "raw")], join(folder, "out"), {
      ...options,
      ...events,
      fields: createFieldCounts(),
    });
    expect(counts.rejected).toBe(1);
    expect(reasons[0]?.[0]).toBe("rejected: is a link, not a regular file");
  });

  test("people who were erased are left out", async () => {
    const files = { "people.json": json([person(1), person(2)]) };
    const { people: found, outcomes } = await collect(files, { findErased: async () => new Set([1]) });
    expect(found).toEqual([person(2)]);
    expect(outcomes).toEqual([
      { passport_id: 1, outcome: "erased" },
      { passport_id: 2, outcome: "collected" },
    ]);
  });

  test("unknown fields are refused together, or dropped; an invalid person is rejected", async () => {
    const extended = {
      ...person(1).passport,
      created_at: "2020",
      user: { id: 1 },
      passport_socials: [{ ...SOCIAL, verified: true }],
    };
    const files = {
      "people.json": json([
        { passport: extended, credentials: [{ ...credential("a"), onchain_at: null, image_url: "x" }] },
        { passport: { ...person(2).passport, created_at: "2020" }, credentials: [] },
        { passport: { ...person(3).passport, connections_count: "seven" }, credentials: [] },
      ]),
    };
    await expect(collect(files)).rejects.toMatchObject({
      fields: [
        { field: "passport.created_at", count: 2 },
        { field: "credentials[].image_url", count: 1 },
        { field: "credentials[].onchain_at", count: 1 },
        { field: "passport.passport_socials[].verified", count: 1 },
        { field: "passport.user", count: 1 },
      ],
    });
    const { people: found, counts, fields } = await collect(files, { unknownFields: "drop" });
    expect(found).toEqual([person(1, { passport_socials: [SOCIAL] }, { credentials: [credential("a")] }), person(2)]);
    expect(counts).toMatchObject({ collected: 2, rejected: 1 });
    expect(fields.listWrongTypes()).toMatchObject([
      { field: "passport.connections_count", problem: "is a string, not an integer", count: 1 },
    ]);
  });

  test("wallets get their canonical form", async () => {
    const mixed = `0x${"aB".repeat(20)}`;
    const passport = { ...person(1).passport, main_wallet: mixed, verified_wallets: [mixed] };
    const { people: found } = await collect({ "a.json": json({ passport, credentials: [] }) });
    expect(found[0]?.passport).toMatchObject({
      main_wallet: mixed.toLowerCase(),
      verified_wallets: [mixed.toLowerCase()],
    });
  });
});

const SOCIAL = {
  follower_count: "1",
  following_count: null,
  location: null,
  profile_bio: null,
  profile_display_name: null,
  profile_image_url: null,
  profile_name: "a",
  profile_url: null,
  source: "lens",
};
