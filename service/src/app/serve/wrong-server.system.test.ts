import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Database, openDatabase, transact, withConnection } from "#core/database/database.ts";
import { migrate } from "#core/database/migrations.ts";
import { findTimeline } from "#core/database/server.ts";
import { explain } from "#core/terminal/failure.ts";
import { inventPopulation } from "#demo/invent/population.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand, startCommand, startServing } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";
import { person } from "#testing/people.ts";
import { startPgbouncer } from "#testing/pgbouncer.ts";
import { administer, createDatabase, dropDatabase, TEMPLATE, uniqueName, urlOf } from "#testing/server.ts";
import { whenDone } from "#testing/when-done.ts";
import { startPrimary, startReplica } from "../../../proofs/clusters.ts";

const open = (url: string): Database => {
  const database = openDatabase({ url, name: "test", maxConnections: 2, statementTimeoutMs: 0 });
  whenDone(() => database.end());
  return database;
};

describe("behind a pooler", async () => {
  const { url } = await testDatabase();

  test("in transaction mode, every command and serve end and say so", async () => {
    const settings = ["pool_mode = transaction"];
    const pooled = { DATABASE_URL: await startPgbouncer(url, settings) };
    const message = "This is a pooler in transaction mode: two sessions use the same connection of the server.";
    for (const args of [["doctor"], ["status"], ["passport", "show", "1"]]) {
      const { stdout, stderr } = await runCommand(args, pooled);
      expect(stdout + stderr).toContain(message);
      expect(stdout + stderr).toContain("lead to PostgreSQL itself");
    }
    const { code, stderr } = await startCommand(["serve"], { ...pooled, PORT: "0", PRIVATE_PORT: "0" }).ended;
    expect(stderr).toContain(message);
    expect(code).toBe(1);
  });

  test("in session mode, all is well: no settings are sent at the start of a connection", async () => {
    const pooler = await startPgbouncer(url, ["pool_mode = session"]);
    expect((await runCommand(["doctor"], { DATABASE_URL: pooler })).stdout).toMatch(/^ok +database /m);
  });
});

describe("with a replica in DATABASE_URL", async () => {
  const folder = testFolder();
  const primary = await startPrimary(folder, ["autovacuum = off"]);
  whenDone(primary.stop);
  await migrate(primary.url);
  await savePeople(open(primary.url), [person(1)]);
  const replica = await startReplica(folder, primary);
  whenDone(replica.stop);
  const environment = { DATABASE_URL: replica.url };

  test("doctor warns about a server that never vacuums", async () => {
    const { stdout } = await runCommand(["doctor"], { DATABASE_URL: primary.url });
    expect(stdout).toMatch(/warning +database .*: autovacuum is off/);
  });

  test("doctor says so, and a change that has begun fails with what to do", async () => {
    const { code, stdout } = await runCommand(["doctor"], environment);
    expect(stdout).toMatch(/problem +database .*: it is a replica, or still recovering/);
    expect(code).toBe(3);
    const database = open(replica.url);
    const write = withConnection(database, (connection) => transact(connection, async () => {}));
    await expect(write).rejects.toThrow("This server is a replica: it accepts no changes.");
    // The connection is not used again.
    expect(database.totalCount).toBe(0);
    expect(explain(await write.catch((error) => error)).advice).toContain("Let `DATABASE_URL` lead to the primary.");
  });

  test("a server waits, and a change waits; both go on when it becomes the primary", async () => {
    const node = await startServing(environment);
    expect((await fetch(`${node.address}/health/ready`)).status).toBe(503);
    await expect.poll(() => node.output.stdout).toContain("This server is a replica");
    const hiding = runCommand(["passport", "hide", "1", "--yes"], environment);
    const promoted = open(replica.url);
    await promoted.query("select pg_promote()");
    expect(await findTimeline(promoted)).toBe((await findTimeline(open(primary.url))) + 1);
    const { code, stderr } = await hiding;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Shared caches may serve") });
    await expect.poll(async () => (await fetch(`${node.address}/health/ready`)).status).toBe(200);
    expect((await fetch(`${node.address}/api/v1/passports/1`)).status).toBe(404);
  });
});

test("when all connections of the server or of the role are in use, the message says what to do", async () => {
  const all = Object.assign(new Error("sorry, too many clients already"), { code: "53300" });
  expect(explain(all).advice).toContain("All connections of the database server are in use.");
  const role = uniqueName();
  await administer((admin) => admin.query(`create role ${role} login connection limit 0`));
  whenDone(() => administer((admin) => admin.query(`drop role ${role}`)).then(() => {}));
  const { stdout, stderr } = await runCommand(["status"], { DATABASE_URL: urlOf("postgres", role) });
  expect(stdout + stderr).toContain("The role has a limit of connections.");
});

test("when the disk is full, the message says what to do, and the same command succeeds afterwards", async () => {
  const folder = testFolder();
  const name = uniqueName();
  const mount = (options: string) => execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  await administer(async (admin) => {
    const { rows } = await admin.query("show data_directory");
    mount(`size=24m,uid=${statSync(rows[0]?.data_directory).uid},mode=700`);
    await admin.query(`create tablespace ${name} location '${folder}'`);
    await createDatabase(admin, name, `template ${TEMPLATE} tablespace ${name}`);
  });
  whenDone(async () => {
    await administer(async (admin) => {
      await dropDatabase(admin, name);
      await admin.query(`drop tablespace ${name}`);
    });
    execFileSync("umount", [folder]);
  });
  const people = join(testFolder(), "people.ndjson");
  const lines = [...inventPopulation(1, 5_000)].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(people, lines.join(""));
  const importPeople = () => runCommand(["import", people], { DATABASE_URL: urlOf(name) });
  const { code, stderr } = await importPeople();
  expect(stderr).toContain("The disk of the database server is full. Free some space there");
  expect(code).toBe(1);
  mount("remount,size=1g");
  expect(await importPeople()).toMatchObject({ code: 0 });
});
