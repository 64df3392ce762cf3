import { expect, test } from "vitest";
import { proveHostileFolder } from "./hostile-folder.ts";

test("hostile-folder", { timeout: 600_000 }, async () => {
  await expect(proveHostileFolder(500)).resolves.toMatchObject({ refused: 10 });
});
