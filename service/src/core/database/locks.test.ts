import { expect, test } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { listBlockers } from "./locks.ts";

test("lists the sessions that hold a lock, and no other session of the database", async () => {
  const { database } = await testDatabase();
  const sessions = await Promise.all([database.connect(), database.connect()]);
  const [blocker, reader] = sessions;
  await blocker.query("set application_name = 'blocker'; begin; lock table lock_people in exclusive mode");
  await reader.query("set application_name = 'reader'; begin; select from person");
  const blockers = await listBlockers(database);
  for (const session of sessions) session.release(true);
  expect(blockers).toMatchObject([{ application: "blocker", role: expect.any(String), seconds: expect.any(Number) }]);
});
