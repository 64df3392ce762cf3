import { expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";

test("a command refuses a schema with a migration that it does not know", async () => {
  const { url, database } = await testDatabase();
  await database.query("insert into schema_migration (name, run_on) values ('9999_future', now())");
  const { code, stderr } = await runCommand(["decisions", "list"], { DATABASE_URL: url });
  expect(code).toBe(1);
  expect(stderr).toContain("The database has migrations that this program does not know: 9999_future.");
});
