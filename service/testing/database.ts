import { type Database, openDatabase } from "#core/database/database.ts";
import { migrate } from "#core/database/migrations.ts";
import { grantServing } from "#rights/manage/replace-rights.ts";
import { administer, createDatabase, dropDatabase, SERVE_ROLE, TEMPLATE, uniqueName, urlOf } from "./server.ts";
import { whenDone } from "./when-done.ts";

/** An option of `testDatabase`: the locale C, in which only ASCII letters have case. */
export const C_LOCALE = "template template0 encoding 'UTF8' locale 'C'";

export type TestDatabase = { name: string; url: string; database: Database };

const CLONE = `template ${TEMPLATE}`;

/** Like `testDatabase`, but creates and migrates a new database instead of cloning the template. */
export async function freshDatabase(options: string): Promise<TestDatabase> {
  const fresh = await testDatabase(options);
  await migrate(fresh.url);
  await grantServing(fresh.database, SERVE_ROLE);
  return fresh;
}

/** Creates a database, by default a clone of the template. It is dropped after the test. */
export async function testDatabase(options: string = CLONE): Promise<TestDatabase> {
  const name = uniqueName();
  await administer(async (admin) => {
    await createDatabase(admin, name, options);
    // PostgreSQL does not clone the privileges on a database.
    if (options === CLONE) await admin.query(`revoke temporary on database ${name} from public`);
  });
  const url = urlOf(name);
  const database = openDatabase({ url, name: "test", maxConnections: 8, statementTimeoutMs: 0 });
  whenDone(async () => {
    await database.end();
    await administer((admin) => dropDatabase(admin, name));
  });
  return { name, url, database };
}
