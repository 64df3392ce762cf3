import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

type Job = { needs?: string; permissions?: Record<string, string>; steps: { run?: string }[] };

const folder = new URL("../.github/workflows/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), "utf8");
const files = globSync("*.yml", { cwd: folder.pathname }).sort();

test("there is a workflow for checks, releases and audits", () => {
  expect(files).toEqual(["audit.yml", "check.yml", "release.yml"]);
  expect(read("check.yml")).toMatch(/^ +run: \.ci\/run$/m);
  expect(read("release.yml")).toMatch(/^ +run: \.ci\/run$/m);
  expect(read("audit.yml")).toMatch(/^ +npm audit --omit=dev$/m);
});

test("the job that may write runs neither tests nor code of packages", () => {
  const jobs = parse(read("release.yml")).jobs as Record<string, Job>;
  const writing = Object.values(jobs).filter(({ permissions }) => permissions?.contents === "write");
  expect(writing.map(({ needs }) => needs)).toEqual(["build"]);
  const commands = writing.flatMap(({ steps }) => steps.flatMap(({ run = "" }) => run.split("\n")));
  expect(commands.join("\n")).toMatch(/^gh release create /m);
  expect(commands.join("\n")).not.toMatch(/npm|node|\.ci/);
});

describe.each(files)("%s", (file) => {
  const text = read(file);

  test("uses no actions but those that pass files between jobs, by their commits", () => {
    const used = [...text.matchAll(/^\s*-?\s*uses: (.*)/gm)].map(([, action]) => action ?? "");
    const allowed = /^actions\/(?:upload|download)-artifact@[0-9a-f]{40} # v[\d.]+$/;
    expect(used.filter((action) => !allowed.test(action))).toEqual([]);
    expect(used).toHaveLength(file === "release.yml" ? 2 : 0);
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

test("every YAML file of the repository can be read strictly", () => {
  const files = execFileSync("git", ["ls-files", "*.yaml", "*.yml"], { encoding: "utf8" }).trimEnd().split("\n");
  expect(files).toContain("deploy/compose/compose.yaml");
  for (const file of files) {
    const documents = parseAllDocuments(readFileSync(file, "utf8"));
    expect
      .soft(
        [documents].flat().flatMap(({ errors }) => errors.map(String)),
        file,
      )
      .toEqual([]);
  }
});
