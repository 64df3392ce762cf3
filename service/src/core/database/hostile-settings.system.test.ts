import { execFile } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { runCommand, startServing } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { startPgbouncer } from "#testing/pgbouncer.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";
import { startPrimary } from "../../../proofs/clusters.ts";
import { openDatabase } from "./database.ts";

// A database may have any defaults. Credence gives the same answers.

const HOSTILE = {
  DateStyle: "SQL, DMY",
  IntervalStyle: "iso_8601",
  TimeZone: "Asia/Kolkata",
  extra_float_digits: "-15",
  bytea_output: "escape",
  client_encoding: "latin1",
  standard_conforming_strings: "off",
  default_transaction_isolation: "serializable",
  default_transaction_read_only: "on",
  row_security: "off",
  statement_timeout: "250",
  lock_timeout: "1",
};

/** Where a world is: URLs of the owner and of the serving role. */
type World = { url: string; serveUrl: string };

/** Half of the settings belong to the database, half to its roles. */
async function hostileDatabase(): Promise<World> {
  const { name, url, database } = await testDatabase();
  for (const [index, [setting, value]] of Object.entries(HOSTILE).entries()) {
    const target = index % 2 === 0 ? `database ${name}` : `role all in database ${name}`;
    await database.query(`alter ${target} set ${setting} = '${value}'`);
  }
  return { url, serveUrl: urlOf(name, SERVE_ROLE) };
}

/** A server with these defaults, behind a pooler that refuses settings at the start of a connection. */
async function hostileServer(): Promise<World> {
  const settings = Object.entries(HOSTILE).map(([name, value]) => `${name} = '${value}'`);
  const server = await startPrimary(testFolder(), settings);
  whenDone(server.stop);
  const admin = openDatabase({ url: server.url, name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  await admin.query("create role serving login");
  await admin.query("create database fresh");
  await admin.end();
  const direct = server.url.replace(/postgres$/, "fresh");
  const { code, stderr } = await runCommand(["migrate", "--serve-role", "serving"], { DATABASE_URL: direct });
  expect(code, stderr).toBe(0);
  const pool = async (user: string) => {
    const url = new URL(direct);
    url.username = user;
    return startPgbouncer(url.href, ["pool_mode = session", "server_reset_query = discard all"]);
  };
  return { url: await pool("credence"), serveUrl: await pool("serving") };
}

async function usualDatabase(): Promise<World> {
  const { name, url } = await testDatabase();
  return { url, serveUrl: urlOf(name, SERVE_ROLE) };
}

const PEOPLE = [1001, 1002, 1003].map((id) =>
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

const KIT = fileURLToPath(new URL("../../../../conformance/src/main.ts", import.meta.url));

/** The results of the conformance kit, without ids of requests. */
async function runKit(address: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [KIT, address, "--rate", "1000"]);
  return stdout.replaceAll(address, "").replace(/[0-9a-f-]{36}/g, "");
}

/** What commands and servers say about the same people. */
async function tryAll({ url, serveUrl }: World) {
  const database = openDatabase({ url, name: "test", maxConnections: 2, statementTimeoutMs: 0 });
  whenDone(() => database.end());
  const folder = testFolder();
  const environment = { DATABASE_URL: url, OPT_OUT_KEY };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, environment);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  writeFileSync(
    join(folder, "people.ndjson"),
    [...inventDemoPeople(), ...PEOPLE].map((line) => JSON.stringify(line)).join("\n"),
  );
  await run("import", join(folder, "people.ndjson"));
  const create = async (...args: string[]) =>
    JSON.parse(await run("keys", "create", "--label", "a", "--contact", "b", "--json", ...args));
  const [valid, revoked, expired] = [await create(), await create(), await create("--expires", "2999-01-01")];
  await run("keys", "revoke", revoked.key_id, "--yes");
  await database.query(
    "update api_key set expires_at = now() - interval '1 day', changed_at = now() where key_id = $1",
    [expired.key_id],
  );
  for (const action of ["hide", "unhide"]) await run("passport", action, "1002", "--yes");
  const { prepare } = holderTests(database);
  const { main, ask } = await prepare();
  const states = [(await ask(main, "hide")).state, (await ask(main, "erase")).state];
  await run("work", "--until-done");
  await run("decisions", "list");
  await run("requests", "list");
  await run("export", join(folder, "out"));
  const { address } = await startServing({ DATABASE_URL: serveUrl });
  const get = async (path: string, token?: string) => {
    const response = await fetch(`${address}${path}`, { headers: token === undefined ? {} : { "x-api-key": token } });
    return [response.status, path === "/" ? "" : await response.text()];
  };
  const statuses = [valid, revoked, expired].map(async ({ token }) => (await get("/api/v1/passports/1001", token))[0]);
  return {
    states,
    keys: await Promise.all(statuses),
    answers: await Promise.all(
      ["/api/v1/passports/1001", "/api/v1/passports/1002", "/api/v1/passport_credentials?passport_id=1001", "/"].map(
        (path) => get(path),
      ),
    ),
    kit: await runKit(address),
    exported: globSync("out/**/people*.ndjson*", { cwd: folder }).map((name) =>
      readLines(join(folder, name)).slice(0, 203),
    ),
  };
}

test("with hostile settings of database, role or server, the results are the same", async () => {
  const expected = await tryAll(await usualDatabase());
  expect(expected.keys).toEqual([200, 401, 401]);
  expect(expected.states).toEqual(["done", "waiting"]);
  expect(expected.kit).toContain("The server conforms.");
  expect(await tryAll(await hostileDatabase())).toEqual(expected);
  expect(await tryAll(await hostileServer())).toEqual(expected);
});

test("a time in another form is an error, and not null", async () => {
  const { database } = await testDatabase();
  const query = "set datestyle = 'SQL, DMY'; select now() as at";
  await expect(database.query(query)).rejects.toThrow("a time in another form");
});
