import { join } from "node:path";
import { expect, test } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { updateKeyExpiry, updateKeyRevoked } from "./api-keys.ts";
import { importKeys } from "./import-keys.ts";
import { adoptKey, issueKey } from "./issue-key.ts";
import { readKeysFile, writeKeysFile } from "./keys-file.ts";
import { listKeysToMove } from "./move-keys.ts";

const owner = { label: "Ada's dashboard", contact: "ada@example.org", expiresAt: null };

test("keys move to another database with their hashes, and are only restricted there", async () => {
  const [{ database: from }, { database: to }] = [await testDatabase(), await testDatabase()];
  const { keyId } = await issueKey(from, owner);
  await adoptKey(from, { token: "a key of the old server" }, owner);
  const valid = await listKeysToMove(from);
  expect((await importKeys(to, valid)).added).toHaveLength(2);
  expect(await listKeysToMove(to)).toEqual(valid);
  expect(await importKeys(to, valid)).toEqual({ added: [], restricted: [], conflicts: [] });

  await updateKeyRevoked(from, keyId);
  const revoked = await listKeysToMove(from);
  expect(await importKeys(to, revoked)).toEqual({ added: [], restricted: [keyId], conflicts: [] });
  expect(await importKeys(to, valid)).toEqual({ added: [], restricted: [], conflicts: [] });
  expect(await listKeysToMove(to)).toEqual(revoked);

  const soon = new Date(Date.now() + 60_000);
  await updateKeyExpiry(to, keyId, soon);
  await importKeys(to, revoked);
  const [stored] = (await listKeysToMove(to)).filter((key) => key.key_id === keyId);
  expect(Date.parse(stored?.expires_at ?? "")).toBe(soon.getTime());
});

test("a key with the id or the hash of another one is not changed", async () => {
  const { database } = await testDatabase();
  const { keyId } = await issueKey(database, owner);
  const [key] = await listKeysToMove(database);
  if (key === undefined) throw new Error("The key is missing.");
  const otherHash = { ...key, hash: "0".repeat(64), revoked_at: "2026-01-01T00:00:00Z" };
  const otherId = { ...key, key_id: "anotherKey" };
  expect(await importKeys(database, [otherHash])).toEqual({ added: [], restricted: [], conflicts: [keyId] });
  expect(await importKeys(database, [otherId])).toEqual({ added: [], restricted: [], conflicts: ["anotherKey"] });
  expect(await listKeysToMove(database)).toEqual([key]);
});

test("a file with an id, a label or a contact in another form is refused", async () => {
  const { database } = await testDatabase();
  await issueKey(database, owner);
  const [key] = await listKeysToMove(database);
  if (key === undefined) throw new Error("The key is missing.");
  const path = join(testFolder(), "keys.json");
  await writeKeysFile(path, [key]);
  expect(await readKeysFile(path)).toEqual([key]);
  for (const wrong of [{ key_id: "../etc" }, { label: "a\u001B[2Jb" }, { label: " " }, { contact: "a\nb" }]) {
    await writeKeysFile(path, [{ ...key, ...wrong }]);
    await expect(readKeysFile(path)).rejects.toThrow("is not a file of keys");
  }
});
