import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { compileClient } from "./compile-client.ts";
import { PACKAGES, type PackagePlan, publishedManifest } from "./packages.ts";

// Compiles the program and lays out the packages to publish, in build/packages. `npm run build`. An
// argument is used as the folder instead of `build`.

const root = join(import.meta.dirname, "..");
const inRoot = (...parts: string[]): string => join(root, ...parts);
const target = resolve(process.argv[2] ?? inRoot("build"));
const compiled = join(target, "js");

rmSync(target, { recursive: true, force: true });
const tsc = [inRoot("node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json", "--outDir", compiled];
execFileSync(process.execPath, tsc, { cwd: root, stdio: "inherit" });
await compileClient(root, join(compiled, "client/src"));
for (const plan of PACKAGES) layOut(plan, join(target, "packages", plan.name));

function layOut({ workspace, files, bundled, ...plan }: PackagePlan, folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(join(compiled, workspace, "src"), join(folder, "dist"), { recursive: true });
  for (const file of globSync(files, { cwd: inRoot(workspace) })) copy(inRoot(workspace, file), join(folder, file));
  for (const file of globSync("src/**/*.{css,js,png,svg}", { cwd: inRoot(workspace) })) {
    copy(inRoot(workspace, file), join(folder, file.replace(/^src/, "dist")));
  }
  copy(inRoot("LICENSE"), join(folder, "LICENSE"));
  const manifest = publishedManifest(readManifest(workspace), { workspace, files, bundled, ...plan }, readManifest);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const inner of bundled) layOut(inner, join(folder, "node_modules", inner.name));
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

function readManifest(workspace: string): Record<string, unknown> {
  return JSON.parse(readFileSync(inRoot(workspace, "package.json"), "utf8"));
}
