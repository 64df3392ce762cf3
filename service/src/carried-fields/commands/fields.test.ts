import { CARRIED_FIELDS } from "@credence/contract/carried.ts";
import { expect, test } from "vitest";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { savePeople } from "#people/write/save-people.ts";
import { carrying } from "#testing/carrying.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";

test("fields: list, carry and drop", async () => {
  const { database, url } = await testDatabase();
  const people = inventDemoPeople().map(carrying);
  await savePeople(database, people);
  const credence = (...args: string[]) => runCommand(["fields", ...args], { DATABASE_URL: url });
  const asked = await credence("carry", "verified");
  expect(asked.stderr).toContain(
    `This publishes verified of ${people.length} people, and of all who are imported later`,
  );
  expect(asked.stderr).toContain("Add --yes to confirm.");
  expect(JSON.parse((await credence("list", "--json")).stdout).fields[0].carried).toBe(false);
  const carried = await credence("carry", "verified", "passport_profile.name", "--json", "--yes");
  expect(JSON.parse(carried.stdout)).toMatchObject({
    carried: ["verified", "passport_profile.name"],
    standing: { epoch: expect.any(Number) },
  });
  expect(carried.stderr).toContain("import the same people again");
  await savePeople(database, people);
  const listed = JSON.parse((await credence("list", "--json")).stdout);
  expect(listed.fields).toMatchObject([
    { field: "verified", carried: true },
    { field: "passport_profile.name", carried: true },
    { field: "passport_profile.image_url", carried: false, values: 0 },
  ]);
  expect(listed.fields[0].values).toBeGreaterThan(0);
  expect(listed.presented).toBe(people.length);

  await database.query("update carried_fields set presented_to = 7");
  const interrupted = await credence("list");
  expect(interrupted.stdout).toContain("passport_profile.image_url  no");
  expect(interrupted.stderr).toContain(`The answers of 7 people of ${people.length} agree with this so far.`);

  expect((await credence("drop", "verified")).stderr).toContain("Add --yes to confirm.");
  const dropped = await credence("drop", ...CARRIED_FIELDS, "--yes");
  expect(dropped.stdout).toBe("V1 sends the fields of its specification only.\n");
  expect((await credence("list")).stdout).toMatch(/verified +no +0\n/);
  expect((await credence("carry", "user")).stderr).toContain("Allowed choices are");
});
