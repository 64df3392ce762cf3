import { expect, test } from "vitest";
import { CLAUSES } from "../conformance/src/run.ts";
import { FILES_WITH_TABLES, read, withTables } from "./tables.ts";

test.each(FILES_WITH_TABLES)("the tables of %s are up to date; else run `npm run tables`", async (file) => {
  await expect(await withTables(file)).toMatchFileSnapshot(`../${file}`);
});

test("the documents state the number of checks of the kit", () => {
  for (const file of ["README.md", "conformance/README.md"]) {
    expect.soft(read(file)).toContain(`${CLAUSES.length} checks`);
  }
});
