import { expect, test } from "vitest";
import { proveHolderStates } from "./holder-states.ts";

/** The invariants would prove nothing if requests did not get this far. */
const REACHED = ["hide done", "unhide done", "erase waiting", "withdraw done"];

test("states of holders' requests", { timeout: 300_000 }, async () => {
  // The requests are random: 30 runs miss a state now and then, and are then repeated.
  const seen = new Set<string>();
  for (let tries = 0; tries < 5 && !REACHED.every((state) => seen.has(state)); tries++) {
    const { runs, states } = await proveHolderStates(30);
    expect(runs).toBe(30);
    for (const state of Object.keys(states)) seen.add(state);
  }
  expect([...seen]).toEqual(expect.arrayContaining(REACHED));
});
