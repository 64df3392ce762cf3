import { expect, test } from "vitest";
import { proveHostileFolder } from "./hostile-folder.ts";

test("hostile-folder", { timeout: 600_000 }, async () => {
  expect(Object.keys(await proveHostileFolder(500))).toHaveLength(10);
});
