import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { sharedFolder } from "../service/testing/shared-folder.ts";
import { PACKAGES } from "./packages.ts";

// For tests, which need the built packages in several files.

const root = join(import.meta.dirname, "..");
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Builds the packages once per run. Returns the folder of the build, which nobody may change. */
export const builtPackages = (): Promise<string> =>
  sharedFolder("build", (folder) => void run(process.execPath, ["release/build.ts", folder], root));

/** Builds and packs the packages. Returns the paths of the tarballs, in `folder`. */
export async function packPackages(folder: string): Promise<string[]> {
  const build = await builtPackages();
  const packed = await sharedFolder("packed", (target) => {
    mkdirSync(target, { recursive: true });
    const folders = PACKAGES.map(({ name }) => join(build, "packages", name));
    run("npm", ["pack", "--pack-destination", target, ...folders], root);
  });
  return globSync("*.tgz", { cwd: packed }).map((name) => {
    cpSync(join(packed, name), join(folder, basename(name)));
    return join(folder, basename(name));
  });
}

/** Installs the packages into a folder, as an operator would. */
export async function installPackages(folder: string): Promise<void> {
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  run("npm", ["install", ...options, "--prefix", folder, ...(await packPackages(folder))], folder);
}
