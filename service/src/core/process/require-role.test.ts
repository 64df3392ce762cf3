import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { administer, SERVE_ROLE, uniqueName, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";

const { database, name } = await testDatabase();
const decisions = join(testFolder(), "decisions.ndjson");
writeFileSync(decisions, '{"format":"credence-decisions","version":1}\n{"end":{"decisions":0}}\n');
const owner = (await database.query("select current_user as role")).rows[0].role as string;

/** A role of this test, and its URL for a database. */
async function createRole(databaseName: string): Promise<{ role: string; url: string }> {
  const role = uniqueName();
  await administer((admin) => admin.query(`create role ${role} login`));
  whenDone(() => administer((admin) => admin.query(`drop role ${role}`)).then(() => {}));
  return { role, url: urlOf(databaseName, role) };
}

describe("the serving role ends a command that writes, with exit code 2, the owner and the command", () => {
  test.each([
    [["work", "--until-done"], "write", "work"],
    [["import", "-"], "write", "import"],
    [["import", "-", "--dry-run"], "write", "import"],
    [["decisions", "import", decisions], "write", "decisions import"],
    [["migrate"], "change", "migrate"],
    [["migrate", "--serve-role", SERVE_ROLE], "change", "migrate"],
  ])("%j", async (args, does, command) => {
    const { code, stdout, stderr } = await runCommand(args, { DATABASE_URL: urlOf(name, SERVE_ROLE) }, "{}\n");
    expect(stdout + stderr).toBe(
      `error: The role "${SERVE_ROLE}" may not ${does} the tables.\nRun \`credence ${command}\` with the role that owns them in \`DATABASE_URL\`: "${owner}".\n`,
    );
    expect(code).toBe(2);
  });
});

test("a role that may write all tables can import; only their owner can migrate", async () => {
  const { role, url } = await createRole(name);
  await database.query(
    `grant all on all tables in schema public to ${role}; grant temporary on database ${name} to ${role}`,
  );
  const args = ["import", "-", "--no-standing"];
  // The role is no obstacle, so what follows is checked.
  expect((await runCommand(args, { DATABASE_URL: url })).stderr).toContain("Standard input contains no people.");
  await database.query(`revoke insert on decision from ${role}`);
  expect(await runCommand(args, { DATABASE_URL: url })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`The role "${role}" may not write the tables.`),
  });
  await database.query(`grant insert on decision to ${role}`);
  expect(await runCommand(["migrate"], { DATABASE_URL: url })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`The role "${role}" may not change the tables.`),
  });
  await database.query(`drop owned by ${role}`);
});

test("in an empty database, migrate needs a role that can create tables; the others need migrate", async () => {
  const empty = await testDatabase("template template0 encoding 'UTF8'");
  await empty.database.query("revoke create on schema public from public");
  const { role, url } = await createRole(empty.name);
  const { code, stderr } = await runCommand(["migrate"], { DATABASE_URL: url });
  expect(stderr).toContain(`The role "${role}" may not create tables in the database "${empty.name}".`);
  expect(stderr).toContain(`alter database "${empty.name}" owner to ROLE`);
  expect(code).toBe(2);
  for (const args of [
    ["work", "--until-done"],
    ["import", "-"],
  ]) {
    expect(await runCommand(args, { DATABASE_URL: url }, "{}\n")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Run `credence migrate` with the role"),
    });
  }
});
