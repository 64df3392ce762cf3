import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { testDatabase } from "./database.ts";
import { dumpSchema } from "./dump-schema.ts";

test("the migrations create schema.sql; run `npm run schema` after adding one", async () => {
  const { url } = await testDatabase();
  expect(dumpSchema(url)).toBe(readFileSync(new URL("../schema.sql", import.meta.url), "utf8"));
});
