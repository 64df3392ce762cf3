import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const folder = new URL("../.github/workflows/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), "utf8");
const files = globSync("*.yml", { cwd: folder.pathname }).sort();

test("there is a workflow for checks, releases and audits", () => {
  expect(files).toEqual(["audit.yml", "check.yml", "release.yml"]);
  expect(read("check.yml")).toMatch(/^ +run: \.ci\/run$/m);
  expect(read("release.yml")).toMatch(/^ +run: \.ci\/run$/m);
  expect(read("audit.yml")).toMatch(/^ +npm audit --omit=dev$/m);
});

test("workflows that test have the history, in which the test of two versions finds the version before", () => {
  for (const file of ["check.yml", "release.yml"]) expect(read(file)).not.toContain("--depth");
});

describe.each(files)("%s", (file) => {
  const text = read(file);

  test("uses no actions", () => {
    expect(text).not.toMatch(/^\s*-?\s*uses:/m);
  });

  test("has a token that can only read, except to publish a release", () => {
    expect(text).toMatch(/^permissions:(?: \{\}|\n {2}contents: read)\n(?! )/m);
    const writes = [...text.matchAll(/: write\b/g)];
    expect(writes).toHaveLength(file === "release.yml" ? 1 : 0);
  });

  test("puts no expression into a command: it could contain text of a pull request", () => {
    const commands = [...text.matchAll(/^( +)(?:- )?run: (.*(?:\n\1 .*)*)/gm)].map(([command]) => command);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => command.includes("${{"))).toEqual([]);
  });
});
