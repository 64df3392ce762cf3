import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { whenDone } from "../service/testing/when-done.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const [, section = ""] = /^## Worked examples\n(.*?)^## /ms.exec(page) ?? [];

/** The blocks of the examples. The path of the changed or new file follows the language. */
const blocks = [...section.matchAll(/```(\w+) ?(\S*)\n(.*?)```/gs)].map(([, kind = "", path = "", content = ""]) => ({
  kind,
  path,
  content,
}));
const changes = blocks.filter(({ path }) => path !== "");
const commands = blocks.filter(({ kind }) => kind === "sh").flatMap(({ content }) => content.trim().split("\n"));

/**
 * Inserts the lines marked with + between the other lines of the block, which must occur exactly
 * once in the text.
 */
function applyDiff(text: string, diff: string): string {
  const lines = diff.trimEnd().split("\n");
  const context = lines.filter((line) => !line.startsWith("+")).map((line) => `${line.slice(1)}\n`);
  const result = lines.map((line) => `${line.slice(1)}\n`);
  const parts = `\n${text}`.split(`\n${context.join("")}`);
  expect(parts, context.join("")).toHaveLength(2);
  return parts.join(`\n${result.join("")}`).slice(1);
}

/** A copy of all files of the repository, with links to the installed packages. */
async function copyRepository(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
  whenDone(() => rm(folder, { recursive: true }));
  const list = ["ls-files", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8" }).trim().split("\n");
  for (const file of files.filter((name) => existsSync(join(root, name)))) {
    await cp(join(root, file), join(folder, file));
  }
  await mkdir(join(folder, "node_modules/@credence"), { recursive: true });
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name !== "@credence") await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  for (const name of await readdir(join(root, "node_modules/@credence"))) {
    await symlink(join(folder, name), join(folder, "node_modules/@credence", name));
  }
  return folder;
}

test("CONTRIBUTING.md: the examples type-check, pass the linter and pass their tests", async () => {
  expect(section.match(/^### /gm)).toHaveLength(5);
  expect(changes).toHaveLength(13);
  expect(commands).toHaveLength(5);
  // A database refuses a migration with a number before that of its last one.
  const migrations = readdirSync(join(root, "service/migrations"));
  const added = changes.flatMap(({ path }) => (path.startsWith("service/migrations/") ? [basename(path)] : []));
  expect([...migrations, ...added].toSorted().slice(-added.length)).toEqual(added);
  const folder = await copyRepository();
  for (const { kind, content, path } of changes) {
    const file = join(folder, path);
    expect(existsSync(file), path).toBe(kind === "diff");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, kind === "diff" ? applyDiff(await readFile(file, "utf8"), content) : content);
  }
  for (const [, path = ""] of section.matchAll(/`([\w.]+\/[\w./-]+|[A-Z]+\.md)`/g)) {
    expect(existsSync(join(folder, path)), path).toBe(true);
  }
  const paths = [...new Set(changes.map(({ path }) => path).filter((path) => path.endsWith(".ts")))];
  const run = (command: string) =>
    promisify(execFile)("bash", ["-c", command], { cwd: folder, maxBuffer: 1e8 }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) =>
        expect.fail(`${command} failed:\n${stdout}\n${stderr}`),
    );
  await run("node_modules/.bin/tsc --noEmit");
  await run(`node_modules/.bin/biome check --vcs-enabled=false --error-on-warnings ${paths.join(" ")}`);
  // Commands that run a whole file are joined: to start vitest takes longer than their tests.
  const [whole, others] = [true, false].map((isWhole) =>
    commands.filter((command) => /^npx vitest run \S+$/.test(command) === isWhole),
  ) as [string[], string[]];
  const files = whole.map((command) => command.split(" ").at(-1));
  for (const [command, passed] of [
    ...others.map((command) => [command, 1] as const),
    [`npx vitest run ${files.join(" ")}`, files.length] as const,
  ]) {
    expect(command).toMatch(/^npx vitest run /);
    const { stdout } = await run(command.replace(/^npx /, "node_modules/.bin/"));
    expect(stdout, command).toMatch(new RegExp(`Tests.* ${passed} passed`));
    for (const file of files.filter((name) => command.includes(name ?? ""))) expect(stdout).toContain(file);
  }
});
