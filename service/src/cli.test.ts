import { stripVTControlCharacters } from "node:util";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { hide } from "#testing/decide.ts";
import { person } from "#testing/people.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { testTerminal } from "#testing/terminal.ts";
import { buildProgram, run } from "./cli.ts";
import { VERSION } from "./core/config/version.ts";
import { inventDemoPeople } from "./demo/invent/population.ts";
import { refreshStanding } from "./list/manage/refresh-standing.ts";
import { savePeople } from "./people/write/save-people.ts";

const listCommands = (command: Command, path: string[] = []): string[][] => [
  path,
  ...command.commands.flatMap((child) => listCommands(child, [...path, child.name()])),
];

describe("credence", async () => {
  const { database, url, name } = await testDatabase();
  await savePeople(database, inventDemoPeople());
  const environment = { DATABASE_URL: url };

  test("--help of every command prints usage and examples on stdout", async () => {
    const commands = listCommands(await buildProgram(testTerminal()));
    expect(commands.length).toBeGreaterThan(40);
    for (const command of commands) {
      const { code, stdout, stderr } = await runCommand([...command, "--help"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`Usage: ${["credence", ...command].join(" ")}`);
      expect(stdout).toMatch(/Examples?:\n {2}\$ /);
    }
  });

  test.each(["-v", "--version"])("%s prints the version", async (flag) => {
    expect(await runCommand([flag])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  test("2: a mistyped command is answered with a suggestion", async () => {
    const { code, stdout, stderr } = await runCommand(["standing", "refesh"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Did you mean refresh?");
  });

  test.each([
    ["people", "--help"],
    ["standing", "refesh", "--help"],
    ["help", "people"],
    ["people", "--version"],
  ])("2: help for a command that does not exist: %s %s", async (...args) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^error: unknown command '(people|refesh)'/);
  });

  test("errors are wrapped at the width of a terminal, and not in a pipe", async () => {
    const linesAt = async (width: { isTTY: boolean; columns: number } | null) => {
      const terminal = testTerminal(["keys", "list"], { DATABASE_URL: "postgres://x@127.0.0.1:1/x" });
      if (width !== null) Object.assign(terminal.stderr, width);
      await run(terminal);
      return stripVTControlCharacters(terminal.printed().stderr).trimEnd().split("\n");
    };
    const piped = await linesAt(null);
    expect(piped).toHaveLength(2);
    const wrapped = await linesAt({ isTTY: true, columns: 40 });
    expect(Math.max(...wrapped.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(wrapped.join(" ")).toBe(piped.join(" "));
  });

  test("2: DATABASE_URL is missing or invalid, or another variable is", async () => {
    const missing = await runCommand(["doctor"]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("DATABASE_URL is not set.");
    const wrong = await runCommand(["serve"], { DATABASE_URL: "mysql://x", PORT: "many", TRUSTED_PROXIES: "true" });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr.match(/^ {2}\w+ /gm)).toHaveLength(3);
  });

  test.each([
    ["an unreachable server", "postgres://x@127.0.0.1:1/x", "Check that PostgreSQL is running"],
    ["a missing database", urlOf("credence_test_nothing"), "createdb"],
  ])("1: %s, with advice", async (_, DATABASE_URL, advice) => {
    const { code, stderr } = await runCommand(["standing", "show"], { DATABASE_URL });
    expect(code).toBe(1);
    expect(stderr).toContain(advice);
    expect(stderr).not.toContain("    at ");
  });

  test("1: a missing schema", async () => {
    const empty = await testDatabase("template template0 encoding 'UTF8'");
    for (const command of [["serve"], ["standing", "refresh"], ["documents", "verify"]]) {
      const { code, stderr } = await runCommand(command, { DATABASE_URL: empty.url });
      expect(code).toBe(1);
      expect(stderr).toContain("credence migrate");
    }
    expect((await runCommand(["doctor"], { DATABASE_URL: empty.url })).code).toBe(3);
    const migrated = await runCommand(["migrate", "--json", "--serve-role", SERVE_ROLE], { DATABASE_URL: empty.url });
    expect(JSON.parse(migrated.stdout).applied.length).toBeGreaterThan(0);
    expect(JSON.parse(migrated.stdout).serve_role).toBe(SERVE_ROLE);
    const again = await runCommand(["migrate"], { DATABASE_URL: empty.url });
    expect(again.stdout).toBe("The schema is up to date.\n");
  });

  test.each(["SQL_ASCII", "LATIN1"])(
    "1: a database with the encoding %s is refused before the first write",
    async (encoding) => {
      const other = await testDatabase(`template template0 encoding '${encoding}' locale 'C'`);
      for (const command of [["migrate"], ["demo", "--port", "0"]]) {
        const { code, stderr } = await runCommand(command, { DATABASE_URL: other.url });
        expect(code).toBe(1);
        expect(stderr).toContain(`The encoding of the database "${other.name}" is ${encoding}. Names need UTF8.`);
        expect(stderr).toContain("create database NAME template template0 encoding 'UTF8' locale 'C'");
      }
      const { rowCount } = await other.database.query(
        "select from pg_class where relnamespace = 'public'::regnamespace",
      );
      expect(rowCount).toBe(0);
    },
  );

  test("1: a role that does not exist", async () => {
    const { code, stderr } = await runCommand(["migrate", "--serve-role", "nobody_at_all"], environment);
    expect(code).toBe(1);
    expect(stderr).toContain('create role "nobody_at_all"');
  });

  test("1: a role whose privileges cannot be restricted", async () => {
    const { code, stderr } = await runCommand(["migrate", "--serve-role", new URL(url).username], environment);
    expect(code).toBe(1);
    expect(stderr).toContain("its privileges cannot be restricted");
  });

  test("0: help for one command; 2: a missing subcommand", async () => {
    expect(await runCommand(["help", "serve"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("credence serve"),
    });
    expect((await runCommand(["standing"])).code).toBe(2);
  });

  test("prints a stack trace with LOG_LEVEL=debug", async () => {
    const failing = { DATABASE_URL: "postgres://x@127.0.0.1:1/x", LOG_LEVEL: "debug" };
    expect((await runCommand(["standing", "show"], failing)).stderr).toContain("    at ");
  });

  test("standing refresh and show", async () => {
    const refreshed = await runCommand(["standing", "refresh", "--json"], environment);
    expect(refreshed.code).toBe(0);
    expect(JSON.parse(refreshed.stdout)).toMatchObject({ total: 198 });
    const shown = await runCommand(["standing", "show"], environment);
    expect(shown.stdout).toMatch(/^The list has 198 people\. It was built /);
  });

  test("documents verify and rebuild", async () => {
    const correct = await runCommand(["documents", "verify"], environment);
    expect(correct).toMatchObject({ code: 0, stdout: "The documents of 200 people are correct.\n" });
    await database.query("update passport_document set body = replace(body, 'a', 'b') where passport_id = 7");
    const wrong = await runCommand(["documents", "verify", "--json"], environment);
    expect(wrong.code).toBe(3);
    expect(JSON.parse(wrong.stdout)).toEqual({
      checked: 200,
      different: 1,
      differences: [{ passport_id: 7, problem: "differs in body" }],
    });
    expect(JSON.parse((await runCommand(["documents", "rebuild", "--json"], environment)).stdout)).toEqual({
      rebuilt: 200,
    });
    expect((await runCommand(["documents", "verify"], environment)).code).toBe(0);
  });

  test("doctor: an empty standing is a problem while listed people are stored, for both roles", async () => {
    const fresh = await testDatabase();
    const standing = async (user?: string) => {
      const { code, stdout, stderr } = await runCommand(["doctor", "--json"], {
        DATABASE_URL: urlOf(fresh.name, user),
      });
      const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; advice?: string }[] };
      const { state, advice } = checks.find(({ name }) => name === "standing") ?? {};
      return { code, state, advice, last: checks.at(-1)?.name, stderr };
    };
    const healthy = { code: 0, state: "ok", advice: undefined, last: "filters", stderr: "" };
    expect(await standing()).toEqual(healthy);
    // Hidden and merged people are not part of the standing.
    await savePeople(fresh.database, [person(1), person(2, { merged: true })]);
    await hide(fresh.database, [1]);
    for (const role of [undefined, SERVE_ROLE]) expect(await standing(role)).toEqual(healthy);
    await savePeople(fresh.database, [person(3)]);
    const advice = "Run `credence standing refresh` with the role that owns the tables.";
    const stderr = "1 check failed. See the lines above for what to do.\n";
    for (const role of [undefined, SERVE_ROLE])
      expect(await standing(role)).toEqual({ code: 3, state: "problem", advice, last: "filters", stderr });
    await runCommand(["standing", "refresh"], { DATABASE_URL: fresh.url });
    for (const role of [undefined, SERVE_ROLE]) expect(await standing(role)).toEqual(healthy);
  });

  test("doctor names the setting that answers requests under other paths", async () => {
    const fresh = await testDatabase();
    await savePeople(fresh.database, [person(1)]);
    await runCommand(["standing", "refresh"], { DATABASE_URL: fresh.url });
    await fresh.database.query(`insert into usage_mark (day, kind, value, requests, last_at)
      select (now() at time zone 'UTC')::date - days, 'path', value, 600, now()
      from unnest(array['/api/v1/passports/*', '/api/v2/passports/*', '/api/v2/passport_credentials', '/*/score']) as value,
        unnest(array[0, 1, 9]) as days`);
    const check = async (V1_ALSO_AT: string) => {
      const { stdout } = await runCommand(["doctor", "--json"], { DATABASE_URL: fresh.url, V1_ALSO_AT });
      return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "other paths");
    };
    expect(await check("/old")).toMatchObject({
      state: "warning",
      finding: "requests to V1 under other paths since yesterday: 2,400 under /api/v2",
      advice: expect.stringContaining("V1_ALSO_AT=/old,/api/v2 answers them."),
    });
    expect(await check("/api/v2")).toMatchObject({ state: "ok" });
  });

  test("doctor distinguishes ok, warning and problem", async () => {
    const states = async (DATABASE_URL: string) => {
      const { code, stdout } = await runCommand(["doctor", "--json"], { DATABASE_URL });
      const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] };
      return { code, ...Object.fromEntries(checks.map((check) => [check.name, check.state])) };
    };
    const serveUrl = urlOf(name, SERVE_ROLE);
    await refreshStanding(database);
    const healthy = {
      code: 0,
      configuration: "ok",
      variables: "ok",
      "life cycle": "ok",
      "private port": "ok",
      database: "ok",
      schema: "ok",
      role: "ok",
      documents: "ok",
      standing: "ok",
      requests: "ok",
      decisions: "warning",
      backups: "ok",
      // The owner of the tests is a superuser.
      owner: "warning",
      clock: "ok",
      settings: "ok",
      nodes: "ok",
      proxies: "ok",
      erasures: "ok",
      keys: "ok",
      "unknown keys": "ok",
      "other paths": "ok",
      filters: "ok",
    };
    expect(await states(serveUrl)).toEqual(healthy);
    expect(await states(url)).toEqual(healthy);
    await database.query("update passport_document set presenter = 0 where passport_id = 100");
    expect(await states(serveUrl)).toMatchObject({ code: 3, documents: "problem" });
    await database.query("update passport_document set presenter = 1 where passport_id = 100");
    await database.query("update credential_document set presenter = 0 where passport_id = 100");
    expect(await states(serveUrl)).toMatchObject({ code: 3, documents: "problem" });
    await database.query("update credential_document set presenter = 1 where passport_id = 100");
    await database.query(`grant select on person_wallet to ${SERVE_ROLE}`);
    expect(await states(serveUrl)).toMatchObject({ code: 0, role: "warning" });
    await database.query(`revoke select on person_wallet from ${SERVE_ROLE}`);
    await database.query(`revoke select on schema_migration, wallet_owner from ${SERVE_ROLE}`);
    expect(await states(serveUrl)).toMatchObject({ code: 3, role: "problem" });
    expect((await runCommand(["serve"], { DATABASE_URL: serveUrl })).stderr).toContain("migrate --serve-role");
    await database.query(`grant select on schema_migration, wallet_owner to ${SERVE_ROLE}`);
    const findings = async (settings: Record<string, string>) =>
      (await runCommand(["doctor"], { DATABASE_URL: serveUrl, ...settings })).stdout;
    expect(await findings({ V1_SUNSET_AT: "2026-01-01" })).toMatch(
      /^warning {2}life cycle {5}the state of V1 is gone: its sunset has passed .*\n +Correct if .* V1_SUNSET_AT\.$/m,
    );
    const brownout = { V1_SUNSET_AT: "2999-01-01", V1_BROWNOUTS: "2026-01-01/2998-01-01" };
    expect(await findings(brownout)).toMatch(
      /^warning {2}life cycle .* from 2998-01-01T00:00:00Z on, it responds again .*\n/m,
    );
    const open = await runCommand(["doctor"], { DATABASE_URL: serveUrl, PRIVATE_HOST: "0.0.0.0" });
    expect(open.code).toBe(0);
    expect(open.stdout).toMatch(/^warning {2}private port {3}0\.0\.0\.0:9090: other machines can reach it$/m);
    // A list without a change is never too old.
    await database.query("update standing_epoch set built_at = now() - interval '2 days'");
    expect(await states(serveUrl)).toEqual(healthy);
    await database.query("update people_change set number = number + 1, unlisted_since = now() - interval '3 hours'");
    expect(await states(serveUrl)).toEqual({ ...healthy, standing: "warning" });
    expect(await states("postgres://x@127.0.0.1:1/x")).toMatchObject({ code: 3, database: "problem" });
  });
});
