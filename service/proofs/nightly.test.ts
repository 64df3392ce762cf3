import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { proveNightly } from "./nightly.ts";

test("nightly", { timeout: 600_000 }, async () => {
  await expect(proveNightly(scaled(1_000, 150))).resolves.toMatchObject({ nights: 30 });
});
