import { randomUUID } from "node:crypto";
import { grantServing } from "#operations/access/grant-serving.ts";
import { type Database, openDatabase } from "#store/engine/database.ts";
import { migrate } from "#store/engine/migrations.ts";
import { administer, createDatabase, dropDatabase, SERVE_ROLE, TEMPLATE, TEST_PREFIX, urlOf } from "./server.ts";
import { whenDone } from "./when-done.ts";

/** For `testDatabase`: a database whose locale knows no letters but ASCII's. */
export const C_LOCALE = "template template0 encoding 'UTF8' locale 'C'";

export type TestDatabase = { name: string; url: string; database: Database };

const CLONE = `template ${TEMPLATE}`;

/** Like `testDatabase`, but not a clone: made with these options, then migrated. */
export async function freshDatabase(options: string): Promise<TestDatabase> {
  const fresh = await testDatabase(options);
  await migrate(fresh.url);
  await grantServing(fresh.database, SERVE_ROLE);
  return fresh;
}

/** A database of this test file's own, a clone of the migrated one unless said otherwise; gone when the file is done. */
export async function testDatabase(options: string = CLONE): Promise<TestDatabase> {
  const name = TEST_PREFIX + randomUUID().replaceAll("-", "");
  await administer(async (admin) => {
    await createDatabase(admin, name, options);
    // Rights on a database are not cloned.
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
