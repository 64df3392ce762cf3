import { expect, test } from "vitest";
import { proveHolderStates } from "./holder-states.ts";

test("states of holders' requests", { timeout: 300_000 }, async () => {
  const { runs, states } = await proveHolderStates(50);
  expect(runs).toBe(50);
  // The invariants would prove nothing if requests did not get this far.
  for (const state of ["hide done", "unhide done", "erase waiting", "withdraw done"])
    expect(states).toHaveProperty(state);
});
