import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGES } from "./packages.ts";
import { arePicturesCurrent } from "./page-digest.ts";
import { createSbom } from "./sbom.ts";
import { setVersion } from "./set-version.ts";

// Builds the files of a release in build/release: `npm run release -- [--dry-run] VERSION`.
//
// If VERSION is new, it also runs all checks, sets the version, closes the section of CHANGELOG.md,
// commits and tags. At the tag of VERSION it only builds, so that a forge builds the same files.
// --dry-run changes nothing outside build/release and runs no tests.

const root = join(import.meta.dirname, "..");
const target = join(root, "build/release");
const { values, positionals } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false } },
  allowPositionals: true,
});
const isDryRun = values["dry-run"];
const [version = ""] = positionals;
const current: string = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;

try {
  checkUsage();
  release();
} catch (error) {
  process.stderr.write(`error: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

function checkUsage(): void {
  if (positionals.length !== 1 || !/^\d+\.\d+\.\d+$/.test(version)) {
    throw new Error("Usage: npm run release -- [--dry-run] VERSION, where VERSION is like 1.2.3.");
  }
  if (version.localeCompare(current, "en", { numeric: true }) < 0) {
    throw new Error(`${version} is older than the current version ${current}.`);
  }
  if (!arePicturesCurrent(root)) {
    throw new Error(
      "The pictures in docs/pictures are older than the pages they show. Run `npm run pictures`, look at them, and commit them.",
    );
  }
  if (!isDryRun && git(root, "status", "--porcelain") !== "") {
    throw new Error("There are uncommitted changes. Commit them first, or use --dry-run to build HEAD.");
  }
}

function release(): void {
  // A clone contains only what is committed.
  const clone = mkdtempSync(join(tmpdir(), "credence-release-"));
  try {
    run(root, "git", "clone", "--quiet", root, clone);
    const isNew = version !== current;
    if (isNew) {
      step(`Setting the version ${version}`);
      setVersion(clone, version, new Date().toISOString().slice(0, 10));
      commit(clone);
    }
    step("Installing dependencies");
    run(clone, "npm", "ci", "--no-audit", "--no-fund");
    if (isNew) {
      step(isDryRun ? "Running the linter and the type checker" : "Running all checks");
      for (const script of isDryRun ? ["lint", "types"] : ["check"]) run(clone, "npm", "run", script);
    }
    buildFiles(clone);
    if (isNew && !isDryRun) {
      run(root, "git", "pull", "--quiet", "--ff-only", clone, "HEAD");
      run(root, "git", "tag", "--annotate", "--message", `Credence ${version}`, `v${version}`);
      step(`Committed and tagged. Publish with: git push --follow-tags`);
    }
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

/** The commit has the time of its parent, so that two dry runs build the same commit. */
function commit(clone: string): void {
  const date = git(root, "log", "-1", "--format=%cI");
  const [name, email] = git(root, "log", "-1", "--format=%cn%n%ce").split("\n") as [string, string];
  const identity = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date };
  execFileSync(
    "git",
    ["commit", "--quiet", "--all", `--author=${name} <${email}>`, `--date=${date}`, "--message", `release: ${version}`],
    // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
    { cwd: clone, env: { ...process.env, ...identity }, stdio: ["ignore", "ignore", "inherit"] },
  );
}

function buildFiles(clone: string): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const build = join(clone, "build");
  step("Building the container image twice");
  const image = `credence-${version}-image.tar`;
  for (const out of ["build", "build/again"]) run(clone, process.execPath, "release/image.ts", "--out", out);
  const [digest, again] = [build, join(build, "again")].map((folder) => sha256(join(folder, "image", image)));
  if (digest !== again) throw new Error(`Two builds of ${image} from one commit differ. Nothing is released.`);
  cpSync(join(build, "image", image), join(target, image));
  step("Packing");
  for (const { name } of PACKAGES) {
    run(join(build, "packages", name), "npm", "pack", "--silent", "--pack-destination", target);
  }
  // Units, configurations and their instructions, for operators without a clone.
  const archive = join(target, `credence-${version}-deploy.tar.gz`);
  const files = ["deploy", "docs/*.md", "docs/pictures", "CHANGELOG.md", "LICENSE", "README.md"];
  run(clone, "git", "archive", `--prefix=credence-${version}/`, `--output=${archive}`, "HEAD", ...files);
  const time = new Date(git(clone, "log", "-1", "--format=%cI"));
  writeFileSync(join(target, `credence-${version}-sbom.cdx.json`), createSbom(clone, time));
  const names = readdirSync(target).sort();
  const sums = names.map((name) => `${sha256(join(target, name))}  ${name}\n`).join("");
  writeFileSync(join(target, "SHA256SUMS"), sums);
  process.stdout.write(sums);
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

function step(text: string): void {
  process.stderr.write(`${text} …\n`);
}

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
}

function run(folder: string, command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}
