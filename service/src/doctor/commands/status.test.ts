import { expect, test } from "vitest";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { hide } from "#testing/decide.ts";
import { person } from "#testing/people.ts";
import { administer, SERVE_ROLE, uniqueName, urlOf } from "#testing/server.ts";

const { url, database, name } = await testDatabase();
const show = (environment: Record<string, string> = {}) =>
  runCommand(["status"], { DATABASE_URL: url, ...environment });

test("an empty database, then people of every kind, then changes that wait for the list", async () => {
  const empty = await show();
  expect(empty.stdout).toMatch(/^People +0 listed, 0 hidden, 0 merged, 0 erased$/m);
  expect(empty.code).toBe(0);
  await savePeople(database, [...[person(1), person(2), person(3), person(4, { merged: true })]]);
  await refreshStanding(database);
  await hide(database, [3]);
  await refreshStanding(database);
  const healthy = await show();
  expect(healthy.stdout).toMatch(/^People +2 listed, 1 hidden, 1 merged, 0 erased$/m);
  expect(healthy.stdout).toMatch(/^List +built .* ago, up to date$/m);
  expect(healthy.stdout).toMatch(/^Requests +0 requests of holders wait, no worker runs$/m);
  // Whatever doctor complains about.
  expect(healthy.stdout).toMatch(/^warning +decisions +/m);
  await savePeople(database, [person(5)]);
  expect((await show()).stdout).toMatch(/^List +built .* ago, changes wait for /m);
});

test("--json has the same", async () => {
  const { stdout } = await runCommand(["status", "--json"], { DATABASE_URL: url, V1_SUNSET_AT: "2026-01-01" });
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ version: expect.any(String), life_cycle: { state: "gone", next_change: null } },
    ...{ list: { people: 2 }, people: { hidden: 1 }, keys: { valid: 0, expired: 0, revoked: 0 } },
    // The role of the tests is a superuser.
    complaints: [
      { name: "owner", state: "warning" },
      { name: "decisions", state: "warning" },
    ],
  });
});

test("a database that cannot be reached is a problem, with what to do", async () => {
  const { code, stdout } = await show({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
  expect(code).toBe(3);
  expect(stdout).toMatch(/^V1 +active: /m);
  expect(stdout).toMatch(/^problem +database .*\n +Check that PostgreSQL is running/m);
  expect(stdout).not.toMatch(/^People/m);
});

test("the serving role sees what it may", async () => {
  const { stdout } = await show({ DATABASE_URL: urlOf(name, SERVE_ROLE) });
  expect(stdout).toMatch(/^People +2 listed; others are not visible to this role$/m);
  expect(stdout).toMatch(/^Callers +not visible to this role$/m);
});

test("a role without rights is a complaint, not a failure", async () => {
  const stranger = uniqueName();
  await administer((admin) => admin.query(`create role ${stranger} login`));
  const { code, stdout, stderr } = await show({ DATABASE_URL: urlOf(name, stranger) });
  await administer((admin) => admin.query(`drop role ${stranger}`));
  expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
  expect(stdout).toMatch(/^problem +role .* may not /m);
});

test("the role that owns the tables is right for commands", async () => {
  const owned = await testDatabase();
  const owner = uniqueName();
  await administer((admin) => admin.query(`create role ${owner} login; grant ${SERVE_ROLE} to ${owner}`));
  await owned.database.query(`alter table person owner to ${owner}`);
  const { stdout } = await runCommand(["doctor"], { DATABASE_URL: urlOf(owned.name, owner) });
  await owned.database.query("alter table person owner to current_user");
  await administer((admin) => admin.query(`drop role ${owner}`));
  expect(stdout).toMatch(/^ok +role +.* owns the tables, as workers and commands need/m);
});
