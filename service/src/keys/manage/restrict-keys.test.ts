import { expect, test } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { issueKey } from "./issue-key.ts";
import { listKeysToRestrict, updateKeysRestricted } from "./restrict-keys.ts";

test("a file revokes keys and shortens their validity, and extends none", async () => {
  const { database } = await testDatabase();
  const [early, late] = ["2030-01-01T00:00:00.000Z", "2031-01-01T00:00:00.000Z"];
  const { keyId } = await issueKey(database, { label: "a", contact: "a", expiresAt: new Date(early) });
  const find = async () => (await database.query("select revoked_at, expires_at from api_key")).rows[0];
  expect(await updateKeysRestricted(database, [{ key_id: keyId, revoked_at: null, expires_at: late }])).toEqual([]);
  const line = { key_id: keyId, revoked_at: "2029-01-01T00:00:00.000Z", expires_at: late };
  expect(await listKeysToRestrict(database, [line])).toEqual([keyId]);
  expect(await updateKeysRestricted(database, [line])).toEqual([keyId]);
  expect(await find()).toEqual({ revoked_at: new Date(line.revoked_at), expires_at: new Date(early) });
  // It stays revoked.
  expect(await updateKeysRestricted(database, [{ key_id: keyId, revoked_at: null, expires_at: null }])).toEqual([]);
});
