import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { provePoisonedPeople } from "./poisoned-people.ts";

test("poisoned-people", { timeout: 600_000 }, async () => {
  const people = scaled(2_000, 500);
  expect(await provePoisonedPeople(people)).toMatchObject({ people, poisoned: people / 100 });
});
