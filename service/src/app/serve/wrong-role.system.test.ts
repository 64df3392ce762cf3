import { describe, expect, test } from "vitest";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { savePeople } from "#people/write/save-people.ts";
import { startCommand, startServing } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { relayTo } from "#testing/relay.ts";
import { SERVE_ROLE, urlOf } from "#testing/server.ts";

describe("with a role that cannot do its work", async () => {
  const { database, name, url } = await testDatabase();
  await savePeople(database, inventDemoPeople());
  const asServing = urlOf(name, SERVE_ROLE);

  test("a worker ends with exit code 2, without a stack trace", async () => {
    const { code, stdout, stderr } = await startCommand(["work"], { DATABASE_URL: asServing }).ended;
    expect(stdout).toBe("");
    expect(stderr).toContain(`The role "${SERVE_ROLE}" may not write the tables.`);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(code).toBe(2);
  });

  test("a server that lacks one right serves the rest; with the owner it warns", async () => {
    await database.query(`revoke select on wallet_owner from ${SERVE_ROLE}`);
    const node = await startServing({ DATABASE_URL: asServing });
    expect(node.output.stdout).toContain('"missing":["read wallet_owner"]');
    expect((await fetch(`${node.address}/api/v1/passports/1`)).status).toBe(200);
    expect((await fetch(`${node.address}/api/v1/passports/0x${"a".repeat(40)}`)).status).toBe(503);
    await database.query(`grant select on wallet_owner to ${SERVE_ROLE}`);
    const owned = await startServing({ DATABASE_URL: url });
    expect(owned.output.stdout).toContain("the role can change all data");
    expect((await fetch(`${owned.address}/api/v1/passports/1`)).status).toBe(200);
  });

  test("a server that waited for its database ends when it finds the role to be wrong", async () => {
    const relay = await relayTo(asServing);
    relay.set("cut");
    const node = await startServing({ DATABASE_URL: relay.through(asServing) });
    expect(node.output.stdout).toContain('"ready":false');
    await database.query(`revoke select on schema_migration from ${SERVE_ROLE}`);
    relay.set("pass");
    const { code, stderr } = await node.ended;
    await database.query(`grant select on schema_migration to ${SERVE_ROLE}`);
    expect(stderr).toContain(`The role "${SERVE_ROLE}" cannot serve: it may not read schema_migration.`);
    expect(stderr).toContain(`credence migrate --serve-role ${SERVE_ROLE}`);
    expect(code).toBe(2);
  });
});
