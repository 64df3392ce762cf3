import { expect, test } from "vitest";
import { HOLDER_ACTIONS } from "#holders/proof/message.ts";
import { proveHolderPages } from "./holder-pages.ts";

test("a holder hides, shows, erases, withdraws and sees a record in a browser", { timeout: 300_000 }, async () => {
  const { states, inDemo } = await proveHolderPages(0.5);
  expect(inDemo).toHaveLength(HOLDER_ACTIONS.length);
  expect(states).toContain("Done: your record is erased");
  expect(states).toEqual(expect.arrayContaining(HOLDER_ACTIONS.map((action) => `receipt-${action}`)));
  expect(states.filter((name) => name === "Done: your record is hidden")).toHaveLength(2);
  expect(states.slice(-3)).toEqual(["The operator decides", "Refused", "One thing needs correcting."]);
});
