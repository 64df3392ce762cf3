import { expect, test } from "vitest";
import { proveLives } from "./lives.ts";

test("random lives of people on several servers", { timeout: 300_000 }, async () => {
  const { lives, not_met } = await proveLives(25, Date.now());
  expect(not_met).toEqual([]);
  expect(lives).toBe(25);
});
