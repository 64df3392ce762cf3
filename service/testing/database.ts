import { randomUUID } from "node:crypto";
import { afterAll } from "vitest";
import { type Database, openDatabase } from "#store/database.ts";
import { administer, createDatabase, dropDatabase, TEMPLATE, TEST_PREFIX, urlOf } from "./server.ts";

export type TestDatabase = { name: string; url: string; database: Database };

export const CLONE = `template ${TEMPLATE}`;

/** A database of this test file's own, a clone of the migrated one unless said otherwise; gone when the file is done. */
export async function testDatabase(options: string = CLONE): Promise<TestDatabase> {
  const name = TEST_PREFIX + randomUUID().replaceAll("-", "");
  await administer((admin) => createDatabase(admin, name, options));
  const url = urlOf(name);
  const database = openDatabase({ url, name: "test", maxConnections: 8, statementTimeoutMs: 0 });
  afterAll(async () => {
    await database.end();
    await administer((admin) => dropDatabase(admin, name));
  });
  return { name, url, database };
}
