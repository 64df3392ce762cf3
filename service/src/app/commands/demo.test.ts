import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { writeDemoMark } from "#demo/demo-mark.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { administer, findDatabase, uniqueName, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";

describe("credence demo", () => {
  test("1: refuses a database with other people", async () => {
    const { database, url } = await testDatabase();
    await savePeople(database, [person(5)]);
    await database.query("delete from schema_migration");
    const { code, stderr } = await runCommand(["demo", "--port", "0"], { DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr).toContain("people that the demo did not load");
    // It was refused before the first write.
    expect((await database.query("select folded_name from person")).rows).toEqual([{ folded_name: "person 5" }]);
    expect((await database.query("select from schema_migration")).rowCount).toBe(0);
  });

  test("1: refuses the database of a demo after another person was added", async () => {
    const { database, url } = await testDatabase();
    await writeDemoMark(database);
    await savePeople(database, [person(5000)]);
    expect((await runCommand(["demo", "--port", "0"], { DATABASE_URL: url })).code).toBe(1);
  });

  test("1: reports a port in use before it creates a database", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    whenDone(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const unused = uniqueName();
    const { code, stderr } = await runCommand(["demo", "-p", `${port}`], { DATABASE_URL: urlOf(unused) });
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use`);
    expect(stderr).toContain(`credence demo --port ${port + 1}`);
    expect(stderr).not.toContain("Created");
    expect(await administer((admin) => findDatabase(admin, unused))).toBe(false);
  });

  test("2: an invalid port", async () => {
    expect((await runCommand(["demo", "--port", "http"])).code).toBe(2);
  });
});
