import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { testFolder } from "../service/testing/folder.ts";
import { createSbom } from "./sbom.ts";
import { closeChangelog, DOCUMENTS, setVersion } from "./set-version.ts";

const root = join(import.meta.dirname, "..");

describe("set-version", () => {
  test("sets the version everywhere, and npm accepts the lock file", () => {
    const folder = testFolder();
    const files = ["package.json", ...manifest.workspaces.map((name) => `${name}/package.json`), "package-lock.json"];
    for (const file of [...files, "CHANGELOG.md", ...DOCUMENTS]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(root, file), join(folder, file));
    }
    setVersion(folder, "987.0.1", "2027-01-31");
    for (const file of globSync("**/*.{json,md,yaml}", { cwd: folder })) {
      const before = readFileSync(join(root, file), "utf8");
      const after = readFileSync(join(folder, file), "utf8");
      expect(after, file).toContain("987.0.1");
      const isOurs = (line: string) => /"version"|@credence\/|credence(-conformance|-client)?[-:]\d/.test(line);
      // Nothing else of a line changes.
      const unchanged = (text: string) => text.split("\n").filter((line) => !isOurs(line) && !line.startsWith("## "));
      if (file !== "CHANGELOG.md") expect(unchanged(after), file).toEqual(unchanged(before));
    }
    // `npm ci` refuses a lock file that does not match the manifests.
    const args = ["ci", "--dry-run", "--offline", "--ignore-scripts", "--no-audit"];
    execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  });

  test("knows every file that names the version", () => {
    const pattern = "credence(-conformance|-client)?[-:]([0-9]+[.]){2}[0-9]";
    const args = ["grep", "--files-with-matches", "--extended-regexp", pattern, "--", "*.md", "*.yaml"];
    const files = execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim().split("\n");
    expect(files.sort()).toEqual([...DOCUMENTS].sort());
  });

  test("closes the section of unreleased changes", () => {
    const before = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.9.0] - 2026-01-01\n\n- Old.\n";
    expect(closeChangelog(before, "1.0.0", "2027-01-31")).toBe(
      "# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2027-01-31\n\n### Added\n\n- A thing.\n\n## [0.9.0] - 2026-01-01\n\n- Old.\n",
    );
    const empty = before.replace("- A thing.\n", "");
    expect(() => closeChangelog(empty, "1.0.0", "2027-01-31")).toThrow("no unreleased changes");
    expect(() => closeChangelog("# Changelog\n", "1.0.0", "2027-01-31")).toThrow("no section");
  });
});

test("the list of dependencies has the same bytes every time, and names no registry", () => {
  const time = new Date(0);
  const sbom = createSbom(root, time);
  expect(createSbom(root, time)).toBe(sbom);
  const { bomFormat, components } = JSON.parse(sbom) as { bomFormat: string; components: { name: string }[] };
  expect(bomFormat).toBe("CycloneDX");
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(["fastify", "pg", "pino", "node"]));
  expect(components.map(({ name }) => name)).not.toContain("vitest");
  expect(sbom).not.toMatch(/"type": "distribution"/);
});
