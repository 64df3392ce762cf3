import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inventPopulation } from "#demo/invent/population.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { hide } from "#testing/decide.ts";
import { person } from "#testing/people.ts";
import { startShell } from "#testing/shell.ts";
import { whenDone } from "#testing/when-done.ts";

describe("generate, import, export", async () => {
  const { url, database } = await testDatabase();
  const environment = { DATABASE_URL: url };
  const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
  whenDone(() => rm(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  const credence = (...args: string[]) => runCommand(args, environment);

  test("generate: the same seed gives the same bytes; folders are readable by their owner only", async () => {
    const first = await credence("generate", "--people", "50", "--seed", "3");
    const second = await credence("generate", "--people", "50", "--seed", "3");
    const other = await credence("generate", "--people", "50", "--seed", "4");
    expect(first.stdout.split("\n")).toHaveLength(51);
    expect(second.stdout).toBe(first.stdout);
    expect(other.stdout).not.toBe(first.stdout);
    for (const name of ["one", "two"]) await credence("generate", "--people", "50", "--seed", "3", "--out", at(name));
    for (const file of await readdir(at("one"))) {
      expect(await readFile(join(at("one"), file))).toEqual(await readFile(join(at("two"), file)));
      expect((await stat(join(at("one"), file))).mode & 0o077).toBe(0);
    }
    expect((await stat(at("one"))).mode & 0o077).toBe(0);
  });

  test("4: refuses to write to a folder that is not empty", async () => {
    const { code, stderr } = await credence("generate", "--people", "5", "--out", at("one"));
    expect(code).toBe(4);
    expect(stderr).toContain("is not empty");
  });

  test("import: a dry run, an import, and the same import again", async () => {
    const dry = await credence("import", at("one"), "--dry-run");
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was written to the database.") });
    const first = await credence("import", at("one"), "--json");
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ lines: 50, added: 50, refused: 0, standing: { epoch: 2 } });
    const again = await credence("import", at("one"));
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/unchanged +50$/m);
    expect(again.stdout).not.toContain("The standing");
  });

  test("import --no-standing does not refresh the standing; the next import does", async () => {
    const lines = [...inventPopulation(3, 51)].slice(50).map((line) => JSON.stringify(line));
    await writeFile(at("more.ndjson"), lines.join("\n"));
    expect(JSON.parse((await credence("import", at("more.ndjson"), "--no-standing", "--json")).stdout)).toMatchObject({
      added: 1,
      standing: null,
    });
    expect(JSON.parse((await credence("import", at("more.ndjson"), "--json")).stdout)).toMatchObject({
      unchanged: 1,
      standing: { epoch: 3 },
    });
  });

  test("3: writes refused lines with reasons to a rejects file", async () => {
    const bad = person(900, { score: -1 });
    await writeFile(at("bad.ndjson"), `${JSON.stringify(bad)}\nnonsense\n${JSON.stringify(person(901))}\n`);
    const { code, stdout } = await credence("import", at("bad.ndjson"), "--rejects", at("rejects"), "--no-standing");
    expect(code).toBe(3);
    expect(stdout).toContain(at("rejects"));
    expect(stdout).toMatch(/1 {2}passport\.score must be >= 0\n.* 1 {2}the line is not JSON$/m);
    const rejects = (await readFile(at("rejects"), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rejects).toEqual([
      { file: "bad.ndjson", line: 1, field: "passport.score", reason: "must be >= 0", text: JSON.stringify(bad) },
      { file: "bad.ndjson", line: 2, field: null, reason: expect.stringMatching(/^is not JSON/), text: "nonsense" },
    ]);
    expect((await stat(at("rejects"))).mode & 0o077).toBe(0);
    const again = await credence("import", at("bad.ndjson"), "--rejects", at("rejects"));
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists already") });
  });

  test("3: a dry run prints the path of the rejects file, and goes on without one in a read-only folder", async () => {
    const dryRun = ["import", at("bad.ndjson"), "--dry-run"];
    const written = await credence(...dryRun, "--rejects", at("dry-rejects"));
    expect(written.code).toBe(3);
    expect(written.stdout).toContain("Nothing was written to the database.");
    expect(written.stdout).toContain(`in "${at("dry-rejects")}", with reasons`);
    expect((await readFile(at("dry-rejects"), "utf8")).split("\n")).toHaveLength(3);
    // Not even root can create a file in /proc.
    const unwritable = (command: string) => startShell(command, "/proc", environment).ended;
    const { code, output } = await unwritable(`credence ${dryRun.join(" ")}`);
    expect(code, output).toBe(3);
    expect(output).toMatch(/^Cannot write to this folder \(E\w+\): use --rejects /m);
    expect(output).toMatch(/refused +2$/m);
    expect(output).toContain("the line is not JSON");
    for (const args of ["--rejects here", "--dry-run --rejects here"]) {
      const named = await unwritable(`credence import ${at("bad.ndjson")} --no-standing ${args}`);
      expect(named.code).toBe(1);
      expect(named.output).toContain('Cannot write the rejects file "here": E');
    }
  });

  test("1: an unusable path of a rejects file, a key or a folder is reported first", async () => {
    for (const args of [
      ["import", at("one"), "--rejects", at("no/such/folder")],
      ["import", at("one"), "--public-key", at("no-key")],
      ["export", at("new"), "--sign", at("no-key")],
      ["export", at("bad.ndjson/folder")],
    ]) {
      const { code, stderr } = await credence(...args);
      expect(code, args.join(" ")).toBe(1);
      expect(stderr).toContain("Check the path");
    }
  });

  test("4: refuses an unusable source, and writes nothing", async () => {
    await writeFile(at("empty"), "");
    for (const [source, message] of [
      [at("nothing"), "does not exist"],
      [folder, "holds no manifest.json"],
      [at("empty"), "contains no people"],
      ["-", "contains no people"],
    ] as const) {
      const { code, stdout, stderr } = await credence("import", source, "--no-standing");
      expect({ code, stdout }, source).toEqual({ code: 4, stdout: "" });
      expect(stderr).toContain(message);
    }
  });

  test("export: an export of an imported export has the same bytes", async () => {
    const { code, stdout } = await credence("export", at("out"));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Wrote 52 people with [\d,]+ credentials/),
    });
    const copy = await testDatabase();
    const imported = await runCommand(["import", at("out"), "--json"], { DATABASE_URL: copy.url });
    expect(JSON.parse(imported.stdout)).toMatchObject({
      added: 52,
      decisions: { decisions: 0, added: 0, hidden: [], erased: [] },
    });
    await runCommand(["export", at("again")], { DATABASE_URL: copy.url });
    const people = "people-00001.ndjson.zst";
    expect(await readFile(join(at("again"), people))).toEqual(await readFile(join(at("out"), people)));
  });

  test("export: says that a snapshot is signed if it is", async () => {
    const { privateKey } = generateKeyPairSync("ed25519");
    await writeFile(at("key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    const unsigned = await credence("export", at("unsigned"));
    expect(unsigned.stdout).toMatch(/decisions to ".*unsigned"\.\n$/);
    const signed = await credence("export", at("signed"), "--sign", at("key.pem"));
    expect(signed.stdout).toMatch(/decisions to ".*signed", signed\.\n$/);
    expect(await readdir(at("unsigned"))).not.toContain("manifest.json.sig");
    expect(await readdir(at("signed"))).toContain("manifest.json.sig");
  });

  test("export --person: by id and by wallet, hidden or not; 1: unknown; 2: neither id nor wallet", async () => {
    await hide(database, [901]);
    const byId = await credence("export", "--person", "901");
    expect(JSON.parse(byId.stdout)).toMatchObject({
      passport: { passport_id: 901 },
      credentials: [],
      decisions: [{ action: "hide", passport_id: 901, in_force: true }],
    });
    const { rows } = await database.query("select address from person_wallet where passport_id = 7 limit 1");
    const byWallet = await credence("export", "--person", rows[0].address);
    expect(JSON.parse(byWallet.stdout).passport.passport_id).toBe(7);
    expect((await credence("export", "--person", "12345")).code).toBe(1);
    for (const wallet of ["x", "1e3"]) expect((await credence("export", "--person", wallet)).code).toBe(1);
    for (const nonsense of ["", "0"]) expect((await credence("export", "--person", nonsense)).code).toBe(2);
    expect((await credence("export")).code).toBe(2);
    for (const other of [[at("x")], ["--sign", at("key.pem")]]) {
      expect((await credence("export", "--person", "7", ...other)).code, other.join(" ")).toBe(2);
    }
  });
});
