import { describe, expect, test } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { findSchemaState, migrate } from "./migrations.ts";

describe("migrate", () => {
  test("applies each migration once when several runners start together", async () => {
    const { url, database } = await testDatabase("template template0 encoding 'UTF8'");
    const before = await findSchemaState(database);
    expect(before.pending.length).toBeGreaterThan(0);
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(applied.flat().sort()).toEqual(before.pending);
    expect(await findSchemaState(database)).toEqual({ pending: [], unknown: [] });
  });

  test("times out waiting for a lock, and retries until the lock is free", async () => {
    const { url, database } = await testDatabase("template template0 encoding 'UTF8'");
    const { pending } = await findSchemaState(database);
    expect(pending).not.toEqual([]);
    const blocker = await database.connect();
    // The advisory lock of the migration runner. Any session can take it.
    await blocker.query("select pg_advisory_lock(7241865325823964)");
    await expect(migrate(url, 1)).rejects.toMatchObject({ code: "55P03" });
    const migrating = migrate(url);
    const isWaiting = async () =>
      (await database.query("select from pg_locks where locktype = 'advisory' and not granted")).rowCount;
    await expect.poll(isWaiting).toBe(1);
    await blocker.query("select pg_advisory_unlock_all()");
    blocker.release();
    expect(await migrating).toEqual(pending);
  });

  test("refuses a schema with the migrations of another program", async () => {
    const { url, database } = await testDatabase();
    await database.query("insert into schema_migration (name, run_on) values ('0002_other', now())");
    await expect(migrate(url)).rejects.toThrow(
      "The database has migrations that this program does not know: 0002_other.",
    );
  });

  test("reports migrations of a newer program as unknown", async () => {
    const { database } = await testDatabase();
    await database.query("insert into schema_migration (name, run_on) values ('9999_future', now())");
    expect((await findSchemaState(database)).unknown).toEqual(["9999_future"]);
  });
});
