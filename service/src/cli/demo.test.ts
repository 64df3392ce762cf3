import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { savePeople } from "#operations/save-people.ts";
import { notePeople } from "#store/held-people.ts";
import { findSchemaState } from "#store/migrations.ts";
import { runCommand, startCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { administer, dropDatabase, TEST_PREFIX, urlOf } from "#testing/server.ts";

describe("credence demo", async () => {
  const name = `${TEST_PREFIX}demo`;

  test("makes its database, serves it, and the lines it prints work as printed; a second start finds it there", async () => {
    await administer((admin) => dropDatabase(admin, name));
    for (const word of ["Made", "Using"]) {
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

  test("1: refuses a database that holds other people", async () => {
    const { database, url } = await testDatabase();
    await savePeople(database, [person(5)]);
    await database.query("delete from schema_migration where name ~ 'standing'");
    const { code, stderr } = await runCommand(["demo", "--port", "0"], { DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr).toContain("people who are not the demo's");
    // Refused before anything was touched.
    expect((await database.query("select display_name from passport")).rows).toEqual([{ display_name: "Person 5" }]);
    expect((await findSchemaState(database)).pending).toHaveLength(1);
  });

  test("1: refuses what a demo left, once somebody else is in it", async () => {
    const { database, url } = await testDatabase();
    await notePeople(database, "Invented people, loaded by credence demo.");
    await savePeople(database, [person(5000)]);
    expect((await runCommand(["demo", "--port", "0"], { DATABASE_URL: url })).code).toBe(1);
  });

  test("2: a port that is none", async () => {
    expect((await runCommand(["demo", "--port", "http"])).code).toBe(2);
  });
});
