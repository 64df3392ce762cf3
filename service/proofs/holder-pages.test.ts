import { expect, test } from "vitest";
import { proveHolderPages } from "./holder-pages.ts";

test("a holder hides, shows and erases a record, and cancels an erasure, in a browser", {
  timeout: 300_000,
}, async () => {
  const { states } = await proveHolderPages();
  const results = ["hidden", "shown", "waiting", "erased", "review", "refused", "received"];
  expect(states).toEqual(expect.arrayContaining(results));
});
