import { migrate } from "#store/migrations.ts";
import { administer, createDatabase, dropDatabase, listDatabases, TEMPLATE, TEST_PREFIX, urlOf } from "./server.ts";

/** Once before all tests: sweeps away what an earlier run left, and migrates the database that tests are cloned from. */
export async function setup(): Promise<void> {
  await administer(async (admin) => {
    for (const name of await listDatabases(admin, TEST_PREFIX)) await dropDatabase(admin, name);
    await createDatabase(admin, TEMPLATE, "template template0 encoding 'UTF8'");
  });
  await migrate(urlOf(TEMPLATE));
}
