import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { person } from "#testing/people.ts";
import { watchProtections } from "./watch-protections.ts";

test("writes its file when something changed, with pauses, and not if another database wrote it", async () => {
  const path = join(testFolder(), "protections.ndjson");
  const read = () => readFileSync(path, "utf8");
  const messages: string[] = [];
  const watch = async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1)]);
    return { database, ...watchProtections(database, path, (message) => messages.push(message)) };
  };
  const [first, other] = [await watch(), await watch()];
  expect(await first.isCurrent()).toBe(true);
  expect(existsSync(path)).toBe(false);
  await first.write();
  const written = read();
  await first.write(true);
  expect(read()).toBe(written);
  await changePerson(first.database, { action: "hide", passportId: 1 });
  const writeAndRead = async () => {
    await first.write();
    return read();
  };
  await expect.poll(writeAndRead).toContain('"hidden" : true');

  const kept = read();
  expect(await other.isCurrent()).toBe(false);
  await other.write(true);
  expect(read()).toBe(kept);
  expect(other.report()).toEqual({ isOlder: true, ageMs: null });
  expect(messages).toEqual([expect.stringContaining(`This database is older than "${path}".`)]);
});
