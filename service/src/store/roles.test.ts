import { describe, expect, test } from "vitest";
import { refreshStanding } from "#operations/refresh-standing.ts";
import { savePeople } from "#operations/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";
import { openDatabase } from "./database.ts";
import { findRoleRights, grantServing } from "./roles.ts";

const DENIED = { code: "42501" };

describe("the role that serves", async () => {
  const { database, name } = await testDatabase();
  await savePeople(database, [person(1)]);
  await refreshStanding(database);
  // Not read-only by its connection: what holds it back is its rights alone.
  const serve = openDatabase({ url: urlOf(name, SERVE_ROLE), name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  const tables = (
    await database.query("select tablename from pg_tables where schemaname = 'public' order by 1")
  ).rows.map((row) => row.tablename as string);

  test("reads what serving needs, and no table more", async () => {
    const readable: string[] = [];
    for (const table of tables) {
      await serve.query(`select * from ${table} limit 1`).then(
        () => readable.push(table),
        (error) => expect(error).toMatchObject(DENIED),
      );
    }
    expect(readable).toEqual([
      "credential_document",
      "passport_document",
      "schema_migration",
      "standing_1",
      "standing_1_keywords",
      "standing_1_names",
      "standing_2",
      "standing_2_keywords",
      "standing_2_names",
      "standing_epoch",
      "wallet_owner",
    ]);
    expect(await findRoleRights(serve)).toEqual({
      role: SERVE_ROLE,
      isSuperuser: false,
      lacks: [],
      beyond: [],
    });
  });

  test.each(tables)("cannot write %s", async (table) => {
    const { rows } = await database.query(
      "select attname from pg_attribute where attrelid = $1::regclass and attnum = 1",
      [table],
    );
    const column: string | undefined = rows[0]?.attname;
    for (const statement of [
      `insert into ${table} default values`,
      ...(column === undefined ? [] : [`update ${table} set ${column} = ${column}`]),
      `delete from ${table}`,
      `truncate ${table}`,
      `drop table ${table}`,
      `alter table ${table} add column x int`,
    ]) {
      await expect(serve.query(statement), statement).rejects.toMatchObject(DENIED);
    }
  });

  test("cannot make anything", async () => {
    await expect(serve.query("create table mine (x int)")).rejects.toMatchObject(DENIED);
  });

  test("reads the epoch that another role builds, and still no facts", async () => {
    await refreshStanding(database);
    const { rows } = await serve.query("select passport_id from standing_3");
    expect(rows).toEqual([{ passport_id: 1 }]);
    await expect(serve.query("select from passport")).rejects.toMatchObject(DENIED);
    await serve.end();
  });

  test("loses what it had beyond that when it is granted again", async () => {
    await database.query(`grant all on passport to ${SERVE_ROLE}`);
    await grantServing(database, SERVE_ROLE);
    const { rows } = await database.query("select has_table_privilege($1, 'passport', 'select') as reads", [
      SERVE_ROLE,
    ]);
    expect(rows).toEqual([{ reads: false }]);
  });
});
