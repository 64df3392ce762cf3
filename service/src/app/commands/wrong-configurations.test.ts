import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { administer, createDatabase, dropDatabase, SERVE_ROLE, uniqueName, urlOf } from "#testing/server.ts";

// What operators get wrong. Each is answered with one cause and one action, without a stack trace,
// and without the secret that was set.

const SECRET = "hush-0123456789-0123456789-0123456789";
const { name, url } = await testDatabase();
const folder = testFolder();
const otherFile = join(folder, "other");
writeFileSync(otherFile, "not a URL");
const taken = createServer().listen(0, "127.0.0.1");
await once(taken, "listening");
const portOf = (server: Server): string => String((server.address() as { port: number }).port);
const takenPort = portOf(taken);
/** Greets as MySQL does, before the client has said anything. */
const mysql = createServer((socket) => void socket.on("error", () => {}).end("J\0\0\0\n8.0.36\0")).listen(
  0,
  "127.0.0.1",
);
await once(mysql, "listening");
const ascii = uniqueName();
const empty = uniqueName();
const locked = uniqueName();
const stranger = uniqueName();
await administer(async (admin) => {
  await createDatabase(admin, ascii, "template template0 encoding 'SQL_ASCII' locale 'C'");
  await createDatabase(admin, empty, "template template0");
  await createDatabase(admin, locked, "template template0");
  await admin.query(`revoke connect on database ${locked} from public`);
  await admin.query(`create role ${stranger} login`);
});
afterAll(async () => {
  taken.close();
  mysql.close();
  await administer(async (admin) => {
    await dropDatabase(admin, ascii);
    await dropDatabase(admin, empty);
    await dropDatabase(admin, locked);
    await admin.query(`drop role ${stranger}`);
  });
});

/** What was set, the cause and the action; the arguments, if not of `serve`. */
type Mistake = [settings: Record<string, string>, cause: RegExp, action: RegExp, args?: string[]];

const expected = (format: string): RegExp => new RegExp(`expected ${format}`);

/** Mistakes in a value, with a database that works. */
const VALUES: Mistake[] = [
  [
    { DATABASE_URL: `mysql://root:${SECRET}@db/x` },
    /DATABASE_URL is invalid/,
    expected("postgres://user:password@host"),
  ],
  [{ DATABASE_URL: `postgres://u:${SECRET}#x@db/x` }, /DATABASE_URL is invalid/, /percent-encoded as %40 %2F %3F %23/],
  [{ DATABASE_URL: `${url}?sslmode=yes` }, /DATABASE_URL is invalid/, expected("one of disable, .* as sslmode")],
  [{ DATABASE_READ_URL: SECRET }, /DATABASE_READ_URL is invalid/, expected("postgres://user:password@host")],
  [
    { DATABASE_URL: "", DATABASE_URL_FILE: `/no/${SECRET}` },
    /DATABASE_URL_FILE cannot be read: there is no/,
    expected("the path of a file"),
  ],
  [
    { DATABASE_URL: "", DATABASE_URL_FILE: folder },
    /DATABASE_URL_FILE cannot be read: it is a folder/,
    expected("the path of a file"),
  ],
  [{ DATABASE_URL_FILE: otherFile }, /DATABASE_URL and DATABASE_URL_FILE are both set/, /set only one/],
  [{ PORT: "80801" }, /PORT is "80801"/, expected("a port from 0 to 65535")],
  [{ PORT: "9090", PRIVATE_PORT: "9090" }, /PORT and PRIVATE_PORT are the same/, expected("two ports")],
  [{ HOST: "http://a" }, /HOST is "http:\/\/a"/, expected("an IP address of this machine")],
  [{ PUBLIC_URL: "example.org" }, /PUBLIC_URL is "example.org"/, expected("a URL that begins with https://")],
  [{ PUBLIC_URL: `https://u:${SECRET}@example.org` }, /PUBLIC_URL is "https:\/\/…@example.org"/, expected("")],
  [{ AUTH_MODE: "none" }, /AUTH_MODE is "none"/, expected("one of optional, required, open")],
  [{ AUTH_MODE: "required", EXPLORER: "on" }, /EXPLORER is on, but AUTH_MODE is required/, /Unset one/],
  [{ TRUSTED_PROXIES: "true" }, /TRUSTED_PROXIES is "true"/, expected("a comma-separated list such as 10.0.0.0/8")],
  [{ RATE_LIMIT_KEYS: "10/s" }, /RATE_LIMIT_KEYS is "10\/s"/, expected("0, or a number from 10")],
  [{ V1_SUNSET_AT: "31.12.2027" }, /V1_SUNSET_AT is "31.12.2027"/, expected("a date such as 2027-12-31")],
  [{ V1_SUNSET_AT: "2020-01-01" }, /V1_SUNSET_AT is before V1_DEPRECATED_AT/, expected("a date on or after it")],
  [
    { V1_BROWNOUTS: "2027-01-10/2027-01-11" },
    /V1_BROWNOUTS: there is no sunset/,
    expected("V1_SUNSET_AT to be set too"),
  ],
  [{ V1_BROWNOUTS: "soon", V1_SUNSET_AT: "2030-01-01" }, /V1_BROWNOUTS is "soon"/, expected("")],
  [{ V1_SUCCESSOR_URL: "/v2" }, /V1_SUCCESSOR_URL is "\/v2"/, expected("a URL")],
  [{ V1_ALSO_AT: "api" }, /V1_ALSO_AT is "api"/, expected("a path such as /api/v2")],
  [{ EXPLORER: "yes" }, /EXPLORER is "yes"/, expected("one of on, off")],
  [{ OPERATOR_CONTACT: "ops" }, /OPERATOR_CONTACT is "ops"/, expected("an e-mail address or an https:// URL")],
  [{ CACHE_MAX_AGE: "30" }, /CACHE_MAX_AGE is "30"/, expected("a duration such as 500ms, 2s")],
  [{ CACHE_MAX_BYTES: "48MB" }, /CACHE_MAX_BYTES is "48MB"/, expected("a size such as 48MiB")],
  [{ HOLDER_REQUESTS: "on" }, /HOLDER_REQUESTS is on, which needs PUBLIC_URL and HOLDER_KEY/, /set both, or/],
  [{ HOLDER_KEY: "hush" }, /HOLDER_KEY is invalid/, expected("at least 32 characters, such as")],
  [{ HOLDER_KEY: SECRET, OPT_OUT_KEY: SECRET }, /HOLDER_KEY equals OPT_OUT_KEY/, expected("another secret")],
  [{ DATABASE_CONNECTIONS: "2" }, /DATABASE_CONNECTIONS is 2: a server needs at least 5/, /Increase it/],
  [{ ERASE_GRACE: "3days" }, /ERASE_GRACE is "3days"/, expected("a number of hours or days")],
  [{ USAGE_RETENTION: "0d" }, /USAGE_RETENTION is "0d"/, expected("a number of days, at least 1d")],
  [{ LOG_LEVEL: "verbose" }, /LOG_LEVEL is "verbose"/, expected("one of fatal, error")],
];

/** Mistakes about the database and the machine. */
const PLACES: Mistake[] = [
  [{ DATABASE_URL: "" }, /DATABASE_URL is not set/, /Set it to postgres:\/\/.*, or try `credence demo`/],
  [
    { DATABASE_URL: urlOf("no_such_database") },
    /database "no_such_database" does not exist/,
    /create the database with `createdb`, or, if it was lost, restore a backup/,
  ],
  [
    { DATABASE_URL: urlOf(name, "no_such_role") },
    /role "no_such_role" does not exist/,
    /Check the user in `DATABASE_URL`/,
  ],
  [
    { DATABASE_URL: "", DATABSE_URL: `postgres://u:${SECRET}@db/x` },
    /DATABASE_URL is not set. DATABSE_URL is not a setting, and has no effect. The nearest is DATABASE_URL./,
    /Rename DATABSE_URL to DATABASE_URL/,
    ["doctor"],
  ],
  [
    { DATABASE_URL: urlOf(empty) },
    /The database is empty: it has no schema yet/,
    /Run `credence migrate` with the role/,
  ],
  [{ DATABASE_URL: urlOf(empty) }, /the database is empty: it has no schema yet/, /Run `credence migrate`/, ["doctor"]],
  [
    { DATABASE_URL: `postgres://u@127.0.0.1:${portOf(mysql)}/x` },
    /The server at the address in `DATABASE_URL` is not PostgreSQL/,
    /Check the host and the port. PostgreSQL's is usually 5432/,
    ["keys", "list"],
  ],
  [
    { DATABASE_URL: urlOf(name, stranger) },
    /The role ".*" cannot serve: it may not read .* and \d+ more\./,
    /As the owner of the tables, run: credence migrate --serve-role /,
  ],
  [
    { DATABASE_URL: "postgres://root@127.0.0.1:1/x" },
    /connect ECONNREFUSED 127.0.0.1:1/,
    /Check that PostgreSQL is running/,
    ["keys", "list"],
  ],
  [
    { DATABASE_URL: "postgres://root@no-such-host.invalid/x" },
    /getaddrinfo (ENOTFOUND|EAI_AGAIN)/,
    /The host in `DATABASE_URL` has no address|name server/,
    ["keys", "list"],
  ],
  [{ DATABASE_URL: `${url}?sslmode=require` }, /does not support SSL/, /Remove `sslmode`/, ["keys", "list"]],
  [
    { DATABASE_URL: "", DATABASE_URL_FILE: "/dev/null" },
    /The file that DATABASE_URL_FILE names is empty/,
    /docs\/reference\/settings.md/,
    ["doctor"],
  ],
  [
    { DATABASE_URL: urlOf(locked, stranger) },
    /permission denied for database/,
    /Correct the user in `DATABASE_URL`, or run as the owner of the database: grant connect/,
  ],
  [
    { DATABASE_URL: urlOf(name, SERVE_ROLE) },
    /permission denied/,
    /Run the command with the role that owns the tables/,
    ["keys", "list"],
  ],
  [{ DATABASE_URL: urlOf(ascii) }, /SQL_ASCII/, /Names need UTF8: create database/, ["doctor"]],
  [{ PORT: takenPort }, /EADDRINUSE: address already in use/, /Another program listens on this port/],
  [
    { HOST: "203.0.113.7" },
    /EADDRNOTAVAIL: address not available 203.0.113.7/,
    /This machine does not have that address/,
  ],
  [
    { DECISIONS_FILE: "/no/such/folder/file", OPT_OUT_KEY: SECRET },
    /Cannot write the file of decisions: ENOENT/,
    /does not exist. Check the path/,
    ["work", "--until-done"],
  ],
  [
    { DECISIONS_FILE: otherFile },
    /DECISIONS_FILE is set, and OPT_OUT_KEY is not/,
    /Create a key with `openssl rand -hex 32`/,
    ["work", "--until-done"],
  ],
  [{}, /unknown option '--prot'/, /Did you mean --port\?/, ["serve", "--prot", "8081"]],
  [{}, /unknown command 'sreve'/, /Did you mean serve\?/, ["sreve"]],
];

const nameOf = ([settings, cause]: Mistake): string =>
  Object.entries(settings)
    .filter(([name]) => !name.startsWith("DATABASE_URL"))
    .map(([name, value]) => `${name}=${value === SECRET ? "…" : value}`)
    .join(" ") || cause.source;

describe("a wrong configuration has one cause and one action", () => {
  test("there are at least 40", () => expect(VALUES.length + PLACES.length).toBeGreaterThanOrEqual(40));

  test.each([...VALUES, ...PLACES].map((mistake) => [nameOf(mistake), mistake] as const))("%s", async (_, mistake) => {
    const [settings, cause, action, args = ["serve"]] = mistake;
    const ended = await runCommand(args, { DATABASE_URL: url, PORT: "0", PRIVATE_PORT: "0", ...settings });
    const output = ended.stdout + ended.stderr;
    expect(output).toMatch(cause);
    expect(output).toMatch(action);
    // The cause is not repeated, and nothing else is wrong.
    expect(output.match(new RegExp(cause, "g"))).toHaveLength(1);
    if (ended.stderr.includes("configuration is invalid")) {
      expect(ended.stderr.split("\n").filter((line) => line.startsWith("  "))).toHaveLength(1);
    }
    expect(output).not.toContain("hush");
    expect(output).not.toMatch(/\n {4}at |undefined|\[object/);
    expect(ended.code).toBeGreaterThan(0);
  });
});
