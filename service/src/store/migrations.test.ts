import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { dumpSchema } from "#testing/dump-schema.ts";
import { findSchemaState, migrate } from "./migrations.ts";

describe("migrate", () => {
  test("makes what schema.sql shows; run `npm run schema` after adding a migration", async () => {
    const { url } = await testDatabase();
    expect(dumpSchema(url)).toBe(readFileSync(new URL("../../schema.sql", import.meta.url), "utf8"));
  });

  test("brings an empty database up once, however many ask at the same time", async () => {
    const { url, database } = await testDatabase("template template0 encoding 'UTF8'");
    const before = await findSchemaState(database);
    expect(before.pending.length).toBeGreaterThan(0);
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(applied.flat().sort()).toEqual(before.pending);
    expect(await findSchemaState(database)).toEqual({ pending: [], unknown: [] });
  });

  test("a schema that a newer program made is told apart", async () => {
    const { database } = await testDatabase();
    await database.query("insert into schema_migration (name, run_on) values ('9999_future', now())");
    expect((await findSchemaState(database)).unknown).toEqual(["9999_future"]);
  });
});
