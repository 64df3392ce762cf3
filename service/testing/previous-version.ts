import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Unpacks the version of `release/previous-version` into a folder, and returns the path of its program.
 * It uses the packages that are installed here. Null if the history does not contain the commit.
 */
export async function unpackPreviousVersion(folder: string): Promise<string | null> {
  const commit = (await readFile(join(ROOT, "release/previous-version"), "utf8")).trim();
  const isKnown = run("git", ["-C", ROOT, "cat-file", "-e", `${commit}^{commit}`]).then(
    () => true,
    () => false,
  );
  if (!(await isKnown)) return null;
  const archive = join(folder, "previous.tar");
  const previous = join(folder, "previous");
  await run("git", ["-C", ROOT, "archive", "--output", archive, commit]);
  await mkdir(previous);
  await run("tar", ["-xf", archive, "-C", previous]);
  await linkPackages(join(ROOT, "node_modules"), join(previous, "node_modules"));
  return join(previous, "service/src/main.ts");
}

/** Links of workspaces are relative, and so lead to the workspaces of the previous version. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.name === "@credence") await linkPackages(source, target);
    else await symlink(source, target);
  }
}
