import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROOFS } from "./proofs.ts";

const MAX_IN_CI = 20;

test.each(Object.entries(PROOFS))("%s has a test if the table says that CI runs it", (name, { ciSeconds }) => {
  expect(existsSync(join(import.meta.dirname, `${name}.test.ts`))).toBe(ciSeconds !== null);
});

test(`CI runs at most ${MAX_IN_CI} proofs`, () => {
  expect(Object.values(PROOFS).filter(({ ciSeconds }) => ciSeconds !== null).length).toBeLessThanOrEqual(MAX_IN_CI);
});
