import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Manifest = {
  version: string;
  workspaces?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};
type Lock = { version: string; packages: Record<string, Manifest> };

/** Files that name the version in paths and images. */
export const DOCUMENTS = [
  "client/README.md",
  "docs/PRODUCTION.md",
  "docs/reference/compose.md",
  "docs/reference/packages.md",
  "deploy/compose/compose.yaml",
  "deploy/compose/second-server.yaml",
  ...["migrate", "server", "worker"].map((name) => `deploy/kubernetes/${name}.yaml`),
];

/** Sets the version of all packages of a clone, and closes the open section of its change log. */
export function setVersion(clone: string, version: string, date: string): void {
  const inClone = (...path: string[]): string => join(clone, ...path);
  const root = readJson<Manifest>(inClone("package.json"));
  const workspaces = root.workspaces ?? [];
  for (const folder of ["", ...workspaces]) {
    const file = inClone(folder, "package.json");
    writeJson(file, withVersion(readJson(file), version));
  }
  const lock = readJson<Lock>(inClone("package-lock.json"));
  for (const folder of ["", ...workspaces]) {
    lock.packages[folder] = withVersion(lock.packages[folder] as Manifest, version);
  }
  writeJson(inClone("package-lock.json"), { ...lock, version });
  for (const file of DOCUMENTS) {
    const text = readFileSync(inClone(file), "utf8");
    writeFileSync(
      inClone(file),
      text.replaceAll(/(credence(?:-conformance|-client)?[-:])\d+\.\d+\.\d+/g, `$1${version}`),
    );
  }
  writeFileSync(inClone("CHANGELOG.md"), closeChangelog(readFileSync(inClone("CHANGELOG.md"), "utf8"), version, date));
}

/** Workspaces depend on each other with the exact version. */
function withVersion(manifest: Manifest, version: string): Manifest {
  const renew = (dependencies: Record<string, string> | undefined) =>
    dependencies &&
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [name, name.startsWith("@credence/") ? version : range]),
    );
  // Keys keep their order, so that the difference is small.
  return Object.fromEntries(
    Object.entries({ ...manifest, version }).map(([name, value]) => [
      name,
      name === "dependencies" || name === "devDependencies" ? renew(value as Record<string, string>) : value,
    ]),
  ) as Manifest;
}

const UNRELEASED = "## [Unreleased]\n";

/** Gives the section of unreleased changes a version and a date, and opens a new one. */
export function closeChangelog(text: string, version: string, date: string): string {
  const [before, after] = text.split(UNRELEASED);
  if (before === undefined || after === undefined) throw new Error("CHANGELOG.md has no section `## [Unreleased]`.");
  const [changes = ""] = after.split(/^## /m);
  if (!/^- /m.test(changes)) throw new Error("CHANGELOG.md lists no unreleased changes. Describe them first.");
  return `${before}${UNRELEASED}\n## [${version}] - ${date}\n${after}`;
}

function readJson<Content>(file: string): Content {
  return JSON.parse(readFileSync(file, "utf8"));
}

function writeJson(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
