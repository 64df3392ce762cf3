import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PACKAGES } from "./packages.ts";

// For tests: they run in parallel, so each builds in its own folder.

const root = join(import.meta.dirname, "..");
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Builds and packs the packages. Returns the paths of the tarballs, in `folder`. */
export function packPackages(folder: string): string[] {
  const build = mkdtempSync(join(tmpdir(), "credence-build-"));
  try {
    run(process.execPath, ["release/build.ts", build], root);
    return PACKAGES.map(({ name }) => {
      const packed = run("npm", ["pack", "--json", "--pack-destination", folder], join(build, "packages", name));
      return join(folder, JSON.parse(packed)[0].filename);
    });
  } finally {
    rmSync(build, { recursive: true });
  }
}

/** Installs the packages into a folder, as an operator would. */
export function installPackages(folder: string): void {
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  run("npm", ["install", ...options, "--prefix", folder, ...packPackages(folder)], folder);
}
