import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";
import { type TestDatabase, testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { serveDatabase } from "#testing/serving.ts";
import { openDatabase } from "./database.ts";

// A database may have any defaults. Credence gives the same answers.

const HOSTILE = {
  DateStyle: "SQL, DMY",
  IntervalStyle: "iso_8601",
  TimeZone: "Asia/Kolkata",
  extra_float_digits: "-15",
  bytea_output: "escape",
  standard_conforming_strings: "off",
  default_transaction_isolation: "serializable",
  default_transaction_read_only: "on",
  row_security: "off",
  statement_timeout: "250",
  lock_timeout: "1",
};

async function makeHostile({ url, name }: TestDatabase): Promise<void> {
  const admin = openDatabase({ url, name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  for (const [setting, value] of Object.entries(HOSTILE)) {
    await admin.query(`alter database ${name} set ${setting} = '${value}'`);
  }
  await admin.end();
}

const PEOPLE = [1, 2, 3].map((id) =>
  person(
    id,
    {
      main_wallet: wallet(id),
      score: 0.1 + id,
      last_calculated_at: "2026-01-02T03:04:05.678Z",
      display_name: "Ada \\ 'x'",
    },
    { credentials: [credential("a", { score: 0.30000000000000004 })] },
  ),
);

const readLines = (path: string): string[] =>
  (path.endsWith(".gz") ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString().split("\n");

/** What commands and servers say about the same people. */
async function tryAll(database: TestDatabase) {
  const folder = testFolder();
  const environment = { DATABASE_URL: database.url, OPT_OUT_KEY };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, environment);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  writeFileSync(join(folder, "people.ndjson"), PEOPLE.map((line) => JSON.stringify(line)).join("\n"));
  await run("import", join(folder, "people.ndjson"));
  const create = async (...args: string[]) =>
    JSON.parse(await run("keys", "create", "--label", "a", "--contact", "b", "--json", ...args));
  const [valid, revoked, expired] = [await create(), await create(), await create("--expires", "2026-11-19")];
  await run("keys", "revoke", revoked.key_id, "--yes");
  await database.database.query(
    "update api_key set expires_at = now() - interval '1 day', changed_at = now() where key_id = $1",
    [expired.key_id],
  );
  for (const action of ["hide", "unhide"]) await run("passport", action, "2", "--yes");
  const { prepare } = holderTests(database.database);
  const { main, ask } = await prepare();
  const states = [(await ask(main, "hide")).state, (await ask(main, "erase")).state];
  await run("work", "--until-done");
  await run("audit");
  await run("requests", "list");
  await run("export", join(folder, "out"));
  const { address } = await serveDatabase(database.name);
  const get = async (path: string, token?: string) => {
    const response = await fetch(`${address}${path}`, { headers: token === undefined ? {} : { "x-api-key": token } });
    return [response.status, path === "/" ? "" : await response.text()];
  };
  const statuses = [valid, revoked, expired].map(async ({ token }) => (await get("/api/v1/passports/1", token))[0]);
  return {
    states,
    keys: await Promise.all(statuses),
    answers: await Promise.all(
      ["/api/v1/passports/1", "/api/v1/passports/2", "/api/v1/passport_credentials?passport_id=1", "/"].map((path) =>
        get(path),
      ),
    ),
    exported: globSync("out/**/people*.ndjson*", { cwd: folder }).map((name) =>
      readLines(join(folder, name)).slice(0, 3),
    ),
  };
}

test("a database with hostile settings gives the same results", { timeout: 180_000 }, async () => {
  const usual = await testDatabase();
  const hostile = await testDatabase();
  await makeHostile(hostile);
  const expected = await tryAll(usual);
  expect(expected.keys).toEqual([200, 401, 401]);
  expect(expected.states).toEqual(["done", "waiting"]);
  expect(await tryAll(hostile)).toEqual(expected);
});

test("a time in another form is an error, and not null", async () => {
  const { database } = await testDatabase();
  const query = "set datestyle = 'SQL, DMY'; select now() as at";
  await expect(database.query(query)).rejects.toThrow("a time in another form");
});
