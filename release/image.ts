import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { copyProductionModules } from "./production-modules.ts";

// Builds the container image and its archive. `npm run image -- [--out FOLDER] [--base IMAGE]`. With
// `--packages FOLDER`, takes packages that are built already.

const { values: options } = parseArgs({
  options: { out: { type: "string", default: "build" }, base: { type: "string" }, packages: { type: "string" } },
});
const root = join(import.meta.dirname, "..");
const build = resolve(root, options.out);
const folder = join(build, "image");
const context = join(folder, "context");
const LOCAL_BASE = "localhost/credence-base";
const NAME = `localhost/credence:${manifest.version}`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(context, { recursive: true });
const packages = options.packages ?? join(build, "packages");
if (options.packages === undefined) run(process.execPath, ["release/build.ts", build]);
copyProductionModules(root, join(context, "app"));
cpSync(join(packages, "credence"), join(context, "app/node_modules/credence"), { recursive: true });
for (const file of ["Containerfile", "make-root.ts"]) {
  cpSync(join(root, "deploy/container", file), join(context, file));
}
if (options.base === undefined) buildBase();
setModes(context);
buildImage(NAME, "Containerfile", [
  `BASE=${options.base ?? LOCAL_BASE}`,
  `VERSION=${manifest.version}`,
  `REVISION=${git("rev-parse", "HEAD")}`,
]);
const archive = writeArchive();
process.stdout.write(`${NAME}\n${archive}, ${(statSync(archive).size / 1e6).toFixed(1)} MB\n`);

/** A base image from the Node of this machine, so that no image registry is needed. */
function buildBase(): void {
  run(process.execPath, ["deploy/container/make-root.ts", join(context, "base-root")]);
  cpSync(join(root, "deploy/container/Containerfile.base"), join(context, "Containerfile.base"));
  setModes(context);
  buildImage(LOCAL_BASE, "Containerfile.base", []);
  rmSync(join(context, "base-root"), { recursive: true });
}

function buildImage(name: string, file: string, args: string[]): void {
  run("buildah", [
    // Without `--layers`, which commits an image after each line.
    ...["bud", "--quiet", "--no-cache", "--isolation", "chroot"],
    // Two builds of the same files get the same digest only in the OCI format and with fixed times.
    ...["--format", "oci", "--timestamp", git("log", "-1", "--format=%ct")],
    ...args.flatMap((arg) => ["--build-arg", arg]),
    ...["--file", join(context, file), "--tag", name, context],
  ]);
}

/** An OCI archive, which `podman load` and `skopeo` read. The same image gets the same bytes. */
function writeArchive(): string {
  const layout = join(folder, "oci");
  const archive = join(folder, `credence-${manifest.version}-image.tar`);
  run("skopeo", ["copy", "--quiet", `containers-storage:${NAME}`, `oci:${layout}:${NAME}`]);
  const fixed = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  run("tar", [...fixed, "-cf", archive, "-C", layout, "."]);
  rmSync(layout, { recursive: true });
  return archive;
}

/** File modes depend on the umask of the person who builds. */
function setModes(directory: string): void {
  for (const entry of globSync("**/*", { cwd: directory, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isExecutable = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0;
    if (path !== join(directory, "base-root/tmp")) chmodSync(path, isExecutable ? 0o755 : 0o644);
  }
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

function run(command: string, args: string[]): void {
  execFileSync(command, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}
