import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { savePeople } from "#operations/write/save-people.ts";
import { findSchemaState } from "#store/engine/migrations.ts";
import { writeDemoMark } from "#store/people/demo-mark.ts";
import { runCommand, startCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { administer, dropDatabase, listDatabases, TEST_PREFIX, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";

describe("credence demo", async () => {
  const name = `${TEST_PREFIX}demo`;

  test("creates its database, serves it, and prints curl lines that work; a second start reuses it", async () => {
    await administer((admin) => dropDatabase(admin, name));
    for (const word of ["Created", "Using"]) {
      const demo = startCommand(["demo", "--port", "0"], { DATABASE_URL: urlOf(name) });
      await expect.poll(() => demo.output.stdout).toContain("Stop with Ctrl-C.");
      expect(demo.output.stderr).toContain(`${word} the database ${name}.`);
      const lines = demo.output.stdout.split("\n").filter((line) => line.includes("curl"));
      const answers = lines.map((line) => JSON.parse(execFileSync("bash", ["-c", line], { encoding: "utf8" })));
      expect(answers).toEqual([
        { passports: [expect.any(Object)], pagination: expect.any(Object) },
        { passport: expect.objectContaining({ passport_id: 1 }) },
        { passport_credentials: expect.arrayContaining([expect.any(Object)]) },
      ]);
      demo.process.kill("SIGINT");
      expect((await demo.ended).code).toBe(0);
    }
    await administer((admin) => dropDatabase(admin, name));
  });

  test("1: refuses a database with other people", async () => {
    const { database, url } = await testDatabase();
    await savePeople(database, [person(5)]);
    await database.query("delete from schema_migration");
    const { code, stderr } = await runCommand(["demo", "--port", "0"], { DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr).toContain("people that the demo did not load");
    // It was refused before the first write.
    expect((await database.query("select display_name from passport")).rows).toEqual([{ display_name: "Person 5" }]);
    expect((await findSchemaState(database)).pending).toHaveLength(1);
  });

  test("1: refuses the database of a demo after another person was added", async () => {
    const { database, url } = await testDatabase();
    await writeDemoMark(database, "Invented people, loaded by credence demo.");
    await savePeople(database, [person(5000)]);
    expect((await runCommand(["demo", "--port", "0"], { DATABASE_URL: url })).code).toBe(1);
  });

  test("1: reports a port in use before it creates a database", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    whenDone(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const unused = `${TEST_PREFIX}demo_unused`;
    const { code, stderr } = await runCommand(["demo", "-p", `${port}`], { DATABASE_URL: urlOf(unused) });
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use`);
    expect(stderr).toContain(`credence demo --port ${port + 1}`);
    expect(stderr).not.toContain("Created");
    expect(await administer((admin) => listDatabases(admin, unused))).toEqual([]);
  });

  test("2: an invalid port", async () => {
    expect((await runCommand(["demo", "--port", "http"])).code).toBe(2);
  });
});
