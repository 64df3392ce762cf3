import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { testFolder } from "../service/testing/folder.ts";

const RUN = fileURLToPath(new URL("run-system.ts", import.meta.url));
const CONFIG =
  'export default { test: { projects: [{ test: { name: "system", globals: true, testTimeout: 500, include: ["*.test.js"] } }] } };';

/** Runs a suite whose only test file has this body. `attempt` is the number of the run of the file. */
async function runSuite(body: string) {
  const folder = testFolder();
  writeFileSync(join(folder, "vitest.config.mjs"), CONFIG);
  writeFileSync(
    join(folder, "one.test.js"),
    `import { appendFileSync, readFileSync } from "node:fs";
     appendFileSync("attempts", "x");
     const attempt = readFileSync("attempts", "utf8").length;
     const fail = (name) => { throw Object.assign(new Error("no"), { name }); };
     test("one", () => { ${body} });`,
  );
  const run = promisify(execFile)(process.execPath, [RUN, "--root", folder], { cwd: folder });
  return run.then(
    ({ stdout }) => ({ code: 0, isRepeated: stdout.includes("Repeated alone") }),
    ({ code, stdout }) => ({ code: code as number, isRepeated: String(stdout).includes("Repeated alone") }),
  );
}

test.each([
  ["a file in which time ran out is repeated once", 'if (attempt === 1) fail("TimeRanOut");', 0, true],
  ["a file in which time runs out again fails", 'fail("TimeRanOut");', 1, true],
  ["a test that hangs is not repeated", "return new Promise(() => {});", 1, false],
  ["a broken promise is not repeated", 'if (attempt === 1) fail("AssertionError");', 1, false],
])("%s", async (_, body, code, isRepeated) => {
  expect(await runSuite(body)).toEqual({ code, isRepeated });
});
