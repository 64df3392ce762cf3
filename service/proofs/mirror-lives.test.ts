import { expect, test } from "vitest";
import { proveMirrorLives } from "./mirror-lives.ts";

test("lives of people on a mirror", { timeout: 300_000 }, async () => {
  expect(await proveMirrorLives(4, 1)).toMatchObject({ runs: 4, killed: expect.any(Number) });
});
