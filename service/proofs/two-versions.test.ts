import { expect, test } from "vitest";
import { proveTwoVersions } from "./two-versions.ts";

test("two versions on one database", { timeout: 300_000 }, async ({ skip }) => {
  const proven = await proveTwoVersions(400);
  if (proven === null) return skip("The history does not contain the commit of release/previous-version.");
  expect(proven).toMatchObject({ failed: 0, different: 0 });
});
