import { expect, test } from "vitest";
import { person } from "#testing/people.ts";
import { NO_NOTES } from "./lossless.ts";
import { observePassport } from "./observe.ts";

test("an item of a list is no passport, also if it says whether it is merged", () => {
  const { passport_socials, ...item } = person(1).passport;
  expect(observePassport(item, null, NO_NOTES)).toMatchObject({ kind: "listed" });
  expect(observePassport({ ...item, passport_socials }, null, NO_NOTES)).toMatchObject({ kind: "passport" });
});
