import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VERSION } from "#core/config/version.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { runCommand, startCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { erase } from "#testing/decide.ts";
import { testFolder } from "#testing/folder.ts";
import { oldDatabase, queryOldDatabase } from "#testing/old-database.ts";
import { oldServer } from "#testing/old-server.ts";
import { credential, person } from "#testing/people.ts";
import { readSnapshotPeople } from "#testing/read-snapshot.ts";
import { whenDone } from "#testing/when-done.ts";

const json = JSON.stringify;

/** Values of wrong types, as other servers send them. */
const WRONG = {
  passport: {
    ...person(1).passport,
    score: "12.5",
    connections_count: "4",
    human_checkmark: "t",
    last_calculated_at: "2024-07-29 15:51:28+00:00",
    passport_profile: { bio: null, display_name: "A", location: null, tags: null },
    passport_socials: [{ ...socialOf(), follower_count: 12 }],
  },
  credentials: [
    { ...credential("a"), last_calculated_at: 1_722_268_288, max_score: "10" },
    { ...credential("b"), last_calculated_at: "2024-07-29T15:51:28.0714Z" },
  ],
};
function socialOf() {
  const empty = { follower_count: null, following_count: null, location: null, profile_bio: null };
  const names = { profile_display_name: null, profile_image_url: null, profile_name: "a", profile_url: null };
  return { ...empty, ...names, source: "lens" };
}

/** The command that a message advises to run. */
const adviceIn = (text: string, start: string): string =>
  text.split("\n").find((line) => line.startsWith(`  ${start}`)) ?? "";

describe("credence collect --from-files", () => {
  test("reports all unknown fields at once, with the command that drops them", async () => {
    const folder = testFolder();
    const out = join(testFolder(), "a folder");
    const passport = { ...person(1).passport, created_at: "2020", "evil\u001b[2J": 1 };
    writeFileSync(join(folder, "passport-1.json"), json({ passport }));
    writeFileSync(
      join(folder, "credentials-1.json"),
      json({ passport_credentials: [{ ...credential("a"), image_url: "x" }] }),
    );
    const refused = await runCommand(["collect", "--from-files", folder, "--out", out]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("3 fields that V1 does not have");
    expect(refused.stderr).toMatch(/^ +1 {2}passport\.created_at$/m);
    expect(refused.stderr).not.toContain("\u001b");
    expect(existsSync(out)).toBe(false);
    const advised = adviceIn(refused.stderr, "credence ");
    expect(advised.trim()).toBe(`credence collect --from-files ${folder} --out '${out}' --unknown-fields drop`);
    const dropped = await runCommand(["collect", "--from-files", folder, "--out", out, "--unknown-fields", "drop"]);
    expect(dropped).toMatchObject({ code: 0, stdout: expect.stringContaining("Wrote 1 person with 1 credential") });
    expect(await readSnapshotPeople(out)).toEqual([person(1, {}, { credentials: [credential("a")] })]);
    const again = await runCommand(["collect", "--from-files", folder, "--out", out]);
    expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining("is not empty") });
  });

  test("converts what has one lossless form, and reports it; other wrong types are rejected", async () => {
    const folder = testFolder();
    const raw = join(folder, "raw.ndjson");
    const { passport, credentials } = WRONG;
    const url = "https://old.example/api/v1/passport";
    const lossless = { ...person(2).passport, score: null, passport_socials: [{ ...socialOf(), follower_count: 12 }] };
    const lines = [
      { url: `${url}s/1`, status: 200, at: "2026-01-01T00:00:00Z", body: json({ passport }) },
      { url: `${url}_credentials?passport_id=1`, status: 200, body: { passport_credentials: credentials } },
      { passport: lossless, credentials: [{ ...credential("a"), max_score: "10.50" }] },
    ];
    writeFileSync(raw, lines.map((line) => json(line)).join("\n"));
    const { code, stdout, stderr } = await runCommand([
      "collect",
      "--from-files",
      raw,
      "--out",
      join(folder, "one"),
      "--json",
    ]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ people: 1, collected: 1, rejected: 1 });
    expect(JSON.parse(stdout).converted).toContainEqual({
      field: "passport.passport_socials[].follower_count",
      conversion: "number to text",
      count: 2,
    });
    expect(stderr).toMatch(/^ +2 {2}passport\.passport_socials\[\]\.follower_count, number to text$/m);
    expect(stderr).toMatch(/^ +2 {2}credentials\[\]\.max_score, text to number$/m);
    for (const problem of [
      "passport.human_checkmark is a string, not a boolean",
      "passport.passport_profile.tags is null, not an array",
      "passport.last_calculated_at is not a time like 2024-07-29T15:51:28.071Z",
      "credentials[].last_calculated_at is an integer, not a string",
    ]) {
      expect(stderr).toContain(problem);
    }
    expect(stderr).toContain("correct them in the responses");
    expect(stderr).not.toMatch(/jq|score is a/);
    expect(await readSnapshotPeople(join(folder, "one"))).toEqual([
      person(
        2,
        { score: null, passport_socials: [{ ...socialOf(), follower_count: "12" }] },
        { credentials: [credential("a", { max_score: 10.5 })] },
      ),
    ]);
  });

  test("an import reports and drops unknown fields, and reports wrong types, in the same way", async () => {
    const { url, database } = await testDatabase();
    const environment = { DATABASE_URL: url };
    const folder = testFolder();
    const [unknown, wrong] = [join(folder, "unknown.ndjson"), join(folder, "wrong.ndjson")];
    const extended = { ...person(2).passport, ...Object.fromEntries(LETTERS.map((letter) => [letter, 1])) };
    writeFileSync(unknown, json({ passport: extended, credentials: [] }));
    writeFileSync(wrong, json(WRONG));
    const rejects = ["--rejects", join(folder, "rejects"), "--no-standing"];
    const refused = await runCommand(["import", unknown, ...rejects], environment);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("26 fields that V1 does not have");
    for (const letter of LETTERS) expect(refused.stderr).toContain(`1  passport.${letter}\n`);
    expect(adviceIn(refused.stderr, "credence import")).toMatch(/ --no-standing --unknown-fields drop$/);
    const dropped = await runCommand(["import", unknown, "--no-standing", "--unknown-fields", "drop"], environment);
    expect(dropped.code, dropped.stderr).toBe(0);
    const typed = await runCommand(["import", wrong, "--rejects", join(folder, "r2"), "--no-standing"], environment);
    expect(typed.code).toBe(3);
    expect(typed.stderr).toContain("passport.score is a string, not a number");
    expect(typed.stderr).toContain("`credence collect --from-files FILE --out FOLDER` converts");
    const { rows } = await database.query("select passport_id from person order by 1");
    expect(rows).toEqual([{ passport_id: 2 }]);
  });

  test("an import names the command for saved responses", async () => {
    const { url } = await testDatabase();
    const folder = testFolder();
    mkdirSync(join(folder, "raw"));
    writeFileSync(join(folder, "raw/passport-1.json"), json({ passport: person(1).passport }));
    const args = ["import", join(folder, "raw/passport-1.json"), "--rejects", join(folder, "rejects")];
    for (const path of [args, ["import", join(folder, "raw")]]) {
      const { stderr } = await runCommand(path, { DATABASE_URL: url });
      expect(stderr).toContain("credence collect --from-files");
    }
  });
});

describe("credence collect URL", () => {
  const basis = ["--basis", "Contract of 2026"];
  const fast = ["--rate", "1000"];
  const start = async (...args: Parameters<typeof oldServer>) => {
    const server = await oldServer(...args);
    whenDone(server.close);
    return server;
  };

  test("prints the plan, passes, what was found, and the report; the key is in no file and no message", async () => {
    const server = await start([1, 2, 3, 4].map((id) => person(id)));
    const { database, url } = await testDatabase();
    await erase(database, [3]);
    const folder = testFolder();
    const out = join(folder, "out");
    writeFileSync(join(folder, "key"), "old-key-0123456789\n");
    const options = ["--key-file", join(folder, "key"), "--contact", "ops@example.org", "--out", out];
    const run = await runCommand(["collect", server.address, ...basis, ...fast, ...options], { DATABASE_URL: url });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain(`${server.address} has 4 people. About 10 requests, at most 1000 per second: `);
    expect(run.stderr).toContain("Pass 2 of the list: 0 new, 4 found.");
    expect(run.stderr).toContain("Found 4 people in 2 passes; the server reports 4.");
    expect(run.stdout).toContain("Wrote 3 people with 0 credentials");
    expect(run.stdout).toMatch(/erased +1 {2}passport 3$/m);
    expect([...server.requestHeaders]).toEqual([`credence-collect/${VERSION} (ops@example.org) old-key-0123456789`]);
    for (const file of readdirSync(out)) expect(readFileSync(join(out, file), "latin1")).not.toContain("old-key");
    expect(run.stdout + run.stderr).not.toContain("old-key");
    expect(JSON.parse(readFileSync(join(out, "manifest.json"), "utf8")).collected).toEqual({
      basis: "Contract of 2026",
    });
  });

  test("continues after Ctrl-C, and finds out that it is complete", async () => {
    const server = await start([1, 2, 3, 4, 5, 6, 7, 8].map((id) => person(id)));
    const out = join(testFolder(), "out");
    const args = ["collect", server.address, ...basis, "--out", out];
    const stopped = startCommand([...args, "--rate", "20"], {});
    await expect.poll(server.requests).toBeGreaterThan(4);
    stopped.process.kill("SIGINT");
    expect(await stopped.ended).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("Run the same command again"),
    });
    const finished = await runCommand([...args, ...fast]);
    expect(finished).toMatchObject({ code: 0, stderr: expect.stringMatching(/\d people collected already/) });
    mkdirSync(`${out}.state`);
    expect(await runCommand([...args, ...fast])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("is complete already"),
    });
    expect(existsSync(`${out}.state`)).toBe(false);
  });

  test("a server that cannot be reached, and wrong usage", async () => {
    const folder = testFolder();
    const at = (name: string) => join(folder, name);
    writeFileSync(at("ids"), "1\n2x\n");
    writeFileSync(at("key"), "two words\n");
    const url = "http://127.0.0.1:9";
    const cases: [string[], number, string][] = [
      [[url], 2, "These data are about people. Copying them needs a right"],
      [[url, ...basis, ...fast], 1, "ECONNREFUSED"],
      [["http://a:b@old.example", ...basis], 2, "http://…@old.example: expected a URL without"],
      [["ftp://old.example", ...basis], 2, "ftp://old.example"],
      [[url, ...basis, "--rate", "0"], 2, "Expected a number above 0"],
      [[url, ...basis, "--ids", at("ids")], 2, "Line 2 of"],
      [[url, ...basis, "--key-file", at("key")], 2, "expected one line without spaces"],
      [["http://old.example", ...basis, "--key-file", at("key")], 2, "must not be sent unencrypted"],
      [[url, ...basis, "--ids", at("ids"), "--since", at("x")], 2, "cannot be combined"],
      [[url, ...basis, "--since", at("nothing")], 4, "does not exist"],
      [[url, "--from-files", folder], 2, "Expected either"],
      [[], 2, "Expected either"],
      [["--from-files", at("nothing")], 4, "does not exist"],
      [["--from-files", folder, "--unknown-fields", "keep"], 2, "Allowed choices are refuse, drop"],
    ];
    const runs = await Promise.all(
      cases.map(([args]) => runCommand(["collect", ...args, "--out", at(`out${Math.random()}`)])),
    );
    for (const [index, { code, stderr }] of runs.entries()) {
      expect([code, stderr]).toEqual([cases[index]?.[1], expect.stringContaining(cases[index]?.[2] as string)]);
    }
  });
});

test("the same people give the same bytes via files, lines, the old server and its database", async () => {
  const people = [...inventPopulation(21, 30)].filter(({ passport }) => !passport.merged);
  const server = await oldServer(people);
  whenDone(server.close);
  const folder = testFolder();
  const at = (name: string) => join(folder, name);
  mkdirSync(at("files"));
  for (const { passport, credentials } of people) {
    writeFileSync(at(`files/passport-${passport.passport_id}.json`), json({ passport }, null, 2));
    writeFileSync(at(`files/credentials-${passport.passport_id}.json`), json({ passport_credentials: credentials }));
  }
  const url = "https://old.example/api/v1/passport";
  const lines = people.flatMap(({ passport, credentials }) => [
    { url: `${url}_credentials?passport_id=${passport.passport_id}`, body: { passport_credentials: credentials } },
    { url: `${url}s/${passport.passport_id}`, at: "2026-01-01T00:00:00Z", body: json({ passport }) },
  ]);
  writeFileSync(at("lines.ndjson"), lines.map((line) => json({ status: 200, ...line })).join("\n"));
  const rows = await queryOldDatabase(await oldDatabase(people), folder);
  const runs = await Promise.all([
    runCommand(["collect", "--from-files", at("files"), "--out", at("1")]),
    runCommand(["collect", "--from-files", at("lines.ndjson"), "--out", at("2")]),
    runCommand(["collect", server.address, "--basis", "test", "--rate", "1000", "--out", at("3")]),
    runCommand(["collect", "--from-files", rows, "--out", at("4")]),
  ]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const [first, ...others] = ["1", "2", "3", "4"].map((name) => readFileSync(at(`${name}/people-00001.ndjson.zst`)));
  for (const other of others) expect(other.equals(first as Buffer)).toBe(true);
  expect(await readSnapshotPeople(at("1"))).toHaveLength(people.length);
});

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
