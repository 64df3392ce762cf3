import { openDatabase } from "#core/database/database.ts";
import { migrate } from "#core/database/migrations.ts";
import { grantServing } from "#rights/manage/replace-rights.ts";
import {
  administer,
  createDatabase,
  dropDatabase,
  ensureRole,
  listLeftDatabases,
  markRun,
  SERVE_ROLE,
  TEMPLATE,
  urlOf,
} from "./server.ts";
import { removeSharedFolders } from "./shared-folder.ts";

/** Runs before all tests: removes what earlier runs left, and migrates the template. */
export async function setup(): Promise<() => Promise<void>> {
  const run = await markRun();
  await administer(async (admin) => {
    for (const name of await listLeftDatabases(admin)) await dropDatabase(admin, name);
    await ensureRole(admin, SERVE_ROLE);
    await createDatabase(admin, TEMPLATE, "template template0 encoding 'UTF8'");
  });
  await migrate(urlOf(TEMPLATE));
  const database = openDatabase({ url: urlOf(TEMPLATE), name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  await grantServing(database, SERVE_ROLE);
  await database.end();
  return async () => {
    await administer((admin) => dropDatabase(admin, TEMPLATE));
    removeSharedFolders();
    await run.end();
  };
}
