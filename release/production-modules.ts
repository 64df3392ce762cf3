import { execFileSync } from "node:child_process";
import { cpSync, lstatSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * Copies the modules that the server needs, in the versions of package-lock.json, into a folder.
 * `npm install` of a package would choose the newest versions of indirect dependencies instead.
 */
export function copyProductionModules(root: string, target: string): void {
  for (const path of listProductionModules(root)) cpSync(path, join(target, relative(root, path)), { recursive: true });
}

/** Workspaces are links; they are part of the package `credence`. */
const listProductionModules = (root: string): string[] =>
  execFileSync("npm", ["ls", "--omit=dev", "--all", "--parseable", "--workspace=@credence/service"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => path.startsWith(join(root, "node_modules/")) && !lstatSync(path).isSymbolicLink());
