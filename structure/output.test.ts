import { expect, test } from "vitest";
import { readSources } from "./imports.ts";

/** Help is this program's own text. */
const WRITERS = ["service/src/cli.ts", "service/src/core/terminal/output.ts", "service/src/core/terminal/progress.ts"];

test("commands print by core/terminal only, which makes everything printable", () => {
  const files = readSources().filter(
    ({ path, text }) => path.startsWith("service/src/") && /std(?:out|err)\.write\(/.test(text),
  );
  expect(files.map(({ path }) => path).sort()).toEqual(WRITERS);
});
