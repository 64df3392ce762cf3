import { grantServing } from "#operations/access/grant-serving.ts";
import { openDatabase } from "#store/engine/database.ts";
import { migrate } from "#store/engine/migrations.ts";
import {
  administer,
  createDatabase,
  dropDatabase,
  ensureRole,
  listDatabases,
  SERVE_ROLE,
  TEMPLATE,
  TEST_PREFIX,
  urlOf,
} from "./server.ts";

/** Runs before all tests. Drops the databases of an earlier run, migrates the template. */
export async function setup(): Promise<void> {
  await administer(async (admin) => {
    for (const name of await listDatabases(admin, TEST_PREFIX)) await dropDatabase(admin, name);
    await ensureRole(admin, SERVE_ROLE);
    await createDatabase(admin, TEMPLATE, "template template0 encoding 'UTF8'");
  });
  await migrate(urlOf(TEMPLATE));
  const database = openDatabase({ url: urlOf(TEMPLATE), name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  await grantServing(database, SERVE_ROLE);
  await database.end();
}
