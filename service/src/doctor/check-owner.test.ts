import { expect, test } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { SERVE_ROLE } from "#testing/server.ts";
import { checkOwner } from "./check-owner.ts";

test("warns if a superuser owns the tables, whichever role asks", async () => {
  const { database } = await testDatabase();
  const { owner } = (await database.query("select current_user as owner")).rows[0];
  expect(await checkOwner(database)).toMatchObject({
    state: "warning",
    finding: expect.stringContaining(`${owner} owns the tables and is a superuser`),
    advice: expect.stringContaining("restore a backup as another role"),
  });
  await database.query(`alter table person owner to ${SERVE_ROLE}`);
  expect(await checkOwner(database)).toEqual({
    state: "ok",
    finding: `${SERVE_ROLE} owns the tables, and is no superuser`,
  });
});
