import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openDatabase } from "#core/database/database.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { freshDatabase } from "#testing/database.ts";
import { hide, show } from "#testing/decide.ts";
import { person, wallet } from "#testing/people.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";
import { replaceServingRights } from "./manage/replace-rights.ts";
import { findRoleRights } from "./serving-rights.ts";

const DENIED = { code: "42501" };

/** The documented rights, one per line. */
const DOCUMENTED = /```rights\n(.*?)```/s
  .exec(readFileSync(new URL("../../../docs/reference/serving-role.md", import.meta.url), "utf8"))?.[1]
  ?.trimEnd()
  .split("\n");

describe("the serving role", async () => {
  const { database, name } = await freshDatabase("template template0 encoding 'UTF8'");
  await savePeople(database, [person(1)]);
  await refreshStanding(database);
  // The connection is not read-only, so only the rights of the role limit it.
  const serve = openDatabase({ url: urlOf(name, SERVE_ROLE), name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  const tables = (
    await database.query("select tablename from pg_tables where schemaname = 'public' order by 1")
  ).rows.map((row) => row.tablename as string);
  /** Executes each statement, undoes it, and returns the rights whose statement succeeded. In one query: they are hundreds. */
  const listAllowed = async (attempts: readonly (readonly [right: string, statement: string])[]): Promise<string[]> => {
    await serve.query("select set_config('test.attempts', $1, false)", [JSON.stringify(attempts)]);
    await serve.query(`do $$
      declare
        attempt json;
        allowed text[] := '{}';
      begin
        for attempt in select value from json_array_elements(current_setting('test.attempts')::json) loop
          begin
            execute attempt ->> 1;
            raise sqlstate 'UNDO0';
          exception
            when sqlstate 'UNDO0' then allowed := allowed || (attempt ->> 0);
            when insufficient_privilege then null;
          end;
        end loop;
        perform set_config('test.allowed', to_json(allowed)::text, false);
      end $$`);
    return (await serve.query("select current_setting('test.allowed')::json as allowed")).rows[0].allowed;
  };
  const columnsOf = async (table: string): Promise<string[]> =>
    (
      await database.query(
        "select attname from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum",
        [table],
      )
    ).rows.map((row) => row.attname);

  test("has exactly the rights that docs/reference/serving-role.md lists", async () => {
    const attempts: [right: string, statement: string][] = Object.entries({
      "create schemas": "create schema mine",
      "create tables": "create table mine (x int)",
      "create temporary tables": "create temporary table mine (x int)",
      "create functions": "create function mine() returns int language sql as 'select 1'",
      "create large objects": "select lo_create(0)",
      "notify any channel": "notify credence_people",
      "listen to any channel": "listen credence_people",
      "take advisory locks": "select pg_advisory_xact_lock(1)",
      "change its password": `alter role ${SERVE_ROLE} password 'another'`,
      "change its settings": `alter role ${SERVE_ROLE} set work_mem = '1MB'`,
      "write messages to the write-ahead log": "select pg_logical_emit_message(true, 'a', 'b')",
      "execute grams": "select grams('ada')",
      "execute keep_decision": "select keep_decision()",
      "execute tell_of_keys": "select tell_of_keys()",
      "execute record_usage": `select record_usage('{"node": "${randomUUID()}", "sequence": 1, "counts": [], "marks": []}')`,
      "execute enqueue_request": "select enqueue_request(sha256('a'), 'hide', 'a', 'a', 'a', 'a')",
      "execute states_of_requests": "select states_of_requests(array[sha256('a')])",
      "execute waiting_requests": "select waiting_requests()",
      "read files": "select pg_read_file('/etc/passwd')",
    });
    for (const table of tables) {
      const columns = await columnsOf(table);
      const [column] = columns;
      const table_ = table.replace(/^standing_\d+/, "standing_N");
      attempts.push(
        [`select ${table_}`, `select * from ${table} limit 1`],
        ...columns.map(
          (name) => [`select ${table_}.${name}`, `select ${name} from ${table} limit 1`] as [string, string],
        ),
        [`insert ${table_}`, `insert into ${table} default values`],
        [`delete ${table_}`, `delete from ${table}`],
        [`truncate ${table_}`, `truncate ${table}`],
        [`drop ${table_}`, `drop table ${table}`],
        [`alter ${table_}`, `alter table ${table} add column x int`],
        [`lock ${table_} in access share mode`, `lock table ${table} in access share mode`],
        [`lock ${table_} in row share mode`, `lock table ${table} in row share mode`],
        [`lock ${table_} in share mode`, `lock table ${table} in share mode`],
        [`lock ${table_} in exclusive mode`, `lock table ${table} in exclusive mode`],
      );
      if (column !== undefined) attempts.push([`update ${table_}`, `update ${table} set ${column} = ${column}`]);
    }
    const allowed = new Set(await listAllowed(attempts));
    // Who reads a table reads its columns.
    const isRead = (right: string) => right.includes(".") && allowed.has(right.split(".")[0] as string);
    const found = [...allowed].filter((right) => !isRead(right));
    expect(found.sort()).toEqual(DOCUMENTED?.toSorted());
    expect(await findRoleRights(serve)).toEqual({
      role: SERVE_ROLE,
      isOwner: false,
      isSuperuser: false,
      missing: [],
      excess: [],
    });
  });

  test("no other role can call a function", async () => {
    const { rows } = await database.query(
      `select proname from pg_proc
       where pronamespace = 'public'::regnamespace and has_function_privilege('public', oid, 'execute')`,
    );
    expect(rows).toEqual([]);
  });

  test("every function with the owner's rights has a fixed search path and no dynamic SQL", async () => {
    const { rows } = await database.query(
      "select proname, proconfig, prosrc from pg_proc where prosecdef and pronamespace = 'public'::regnamespace order by 1",
    );
    expect(rows.map((row) => row.proname)).toEqual([
      "enqueue_request",
      "record_usage",
      "states_of_requests",
      "waiting_requests",
    ]);
    for (const { proconfig, prosrc } of rows) {
      expect(proconfig).toEqual(["search_path=pg_catalog, pg_temp"]);
      expect(prosrc).not.toMatch(/\bexecute\b/i);
    }
  });

  test("cannot read the owner of a hidden person's wallet", async () => {
    await savePeople(database, [person(2, { main_wallet: wallet(2) }), person(3, { main_wallet: wallet(3) })]);
    await hide(database, [2]);
    const listOwners = async () => (await serve.query("select passport_id from wallet_owner order by 1")).rows;
    expect(await listOwners()).toEqual([{ passport_id: 3 }]);
    await show(database, [2]);
    await hide(database, [3]);
    expect(await listOwners()).toEqual([{ passport_id: 2 }]);
  });

  test("can read an epoch that another role built, but no facts", async () => {
    await refreshStanding(database);
    const { rows } = await serve.query("select passport_id from standing_3 where passport_id = 1");
    expect(rows).toEqual([{ passport_id: 1 }]);
    await expect(serve.query("select from person")).rejects.toMatchObject(DENIED);
    await serve.end();
  });

  test("loses excess rights when it is granted again", async () => {
    await database.query(`grant all on person to ${SERVE_ROLE}; grant all on database ${name} to ${SERVE_ROLE};
      grant execute on function tell_of_keys () to ${SERVE_ROLE}; revoke execute on function record_usage (jsonb) from ${SERVE_ROLE}`);
    const serve = openDatabase({
      url: urlOf(name, SERVE_ROLE),
      name: "test",
      maxConnections: 1,
      statementTimeoutMs: 0,
    });
    whenDone(() => serve.end());
    expect(await findRoleRights(serve)).toMatchObject({
      missing: ["execute record_usage (jsonb)"],
      excess: expect.arrayContaining(["execute tell_of_keys()", "read person"]),
    });
    await replaceServingRights(database, SERVE_ROLE);
    expect(await findRoleRights(serve)).toMatchObject({ missing: [], excess: [] });
    const { rows } = await database.query(
      `select has_table_privilege($1, 'person', 'select') as reads,
         has_database_privilege($1, current_database(), 'temporary') as temporary`,
      [SERVE_ROLE],
    );
    expect(rows).toEqual([{ reads: false, temporary: false }]);
  });
});
