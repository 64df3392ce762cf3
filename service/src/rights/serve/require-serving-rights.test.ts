import { afterEach, describe, expect, test } from "vitest";
import { openDatabase } from "#core/database/database.ts";
import { createLog } from "#core/process/log.ts";
import { testDatabase } from "#testing/database.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";
import { requireServingRights, warnOfRights } from "./require-serving-rights.ts";

const { database, name } = await testDatabase();
const open = (url: string) => {
  const opened = openDatabase({ url, name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  whenDone(() => opened.end());
  return opened;
};
const serve = open(urlOf(name, SERVE_ROLE));
let restore = "";
afterEach(() => database.query(restore).then(() => {}));

type AuthMode = "optional" | "required";

/** Takes a right from the serving role, and returns what the check logs or throws. */
async function check(lacks: string, from: string, authMode: AuthMode = "optional", connection = serve) {
  restore = lacks === "" ? "" : `grant ${lacks} ${from} to ${SERVE_ROLE}`;
  if (lacks !== "") await database.query(`revoke ${lacks} ${from} from ${SERVE_ROLE}`);
  const logged: string[] = [];
  const log = createLog("debug", { write: (line: string) => void logged.push(line) });
  const failure = await requireServingRights(connection, { authMode }).then(
    (rights) => {
      warnOfRights(log, rights);
      return null;
    },
    (error) => error,
  );
  return { failure, logged: logged.map((line) => JSON.parse(line)) };
}

test("a role with exactly the rights of serving is accepted without a word", async () => {
  expect(await check("", "")).toEqual({ failure: null, logged: [] });
});

describe("a right without which no look-up can be answered ends the server", () => {
  test.each<[string, string, string, AuthMode]>([
    [
      "read credential_document, read passport_document",
      "select",
      "on passport_document, credential_document",
      "optional",
    ],
    ["read schema_migration", "select", "on schema_migration", "optional"],
    ["read hash of api_key", "select (hash)", "on api_key", "required"],
  ])("%s", async (missing, lacks, from, authMode) => {
    const { failure } = await check(lacks, from, authMode);
    expect(failure).toMatchObject({
      message: `The role "${SERVE_ROLE}" cannot serve: it may not ${missing}.`,
      advice: `As the owner of the tables, run: credence migrate --serve-role ${SERVE_ROLE}`,
      exitCode: 2,
    });
  });
});

test.each([
  ["read wallet_owner", "select", "on wallet_owner"],
  ["read passport_document", "select", "on passport_document"],
  ["read standing_epoch", "select", "on standing_epoch"],
  ["read hash of api_key", "select (hash)", "on api_key"],
  ["execute record_usage (jsonb)", "execute", "on function record_usage (jsonb)"],
])("any other is logged: %s", async (missing, lacks, from) => {
  const { failure, logged } = await check(lacks, from);
  expect(failure).toBeNull();
  expect(logged).toMatchObject([{ level: "warn", role: SERVE_ROLE, missing: [missing] }]);
});

test("a right that is granted meanwhile, as a migration does, ends nothing", async () => {
  const checking = check("select", "on schema_migration");
  await expect
    .poll(
      async () =>
        (await database.query("select has_table_privilege($1, 'schema_migration', 'select') as reads", [SERVE_ROLE]))
          .rows,
    )
    .toEqual([{ reads: false }]);
  // The first look finds the right missing: one connection, and its statements are in order.
  await serve.query("select");
  await database.query(`grant select on schema_migration to ${SERVE_ROLE}`);
  expect(await checking).toEqual({ failure: null, logged: [] });
});

test("a schema that is not migrated is not judged", async () => {
  const empty = await testDatabase("template template0 encoding 'UTF8'");
  expect(await check("", "", "optional", open(urlOf(empty.name, SERVE_ROLE)))).toMatchObject({ failure: null });
});

test("the owner of the tables serves, with a warning", async () => {
  const { failure, logged } = await check("", "", "optional", database);
  expect(failure).toBeNull();
  expect(logged).toMatchObject([{ level: "warn", msg: expect.stringContaining("can change all data") }]);
});
