import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { FLOORS, isWorkspace } from "./floors.ts";

// Prints figures about the structure, and fails on an upward import or an import cycle. CI runs it.

const root = resolve(import.meta.dirname, "..");
const src = join(root, "service/src");

const files = globSync(["service/src/**/*.ts", "{contract,explorer,conformance,client,bench}/src/**/*.ts"], {
  cwd: root,
})
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => join(root, file));

const WORKSPACE = /^@credence\/(contract|explorer)\/(.*\.ts)$/;

/** The file that an import leads to; null for packages and Node. Types count as much as values. */
function resolveImport(from: string, specifier: string): string | null {
  const [, workspace, path] = WORKSPACE.exec(specifier) ?? [];
  if (workspace !== undefined && path !== undefined) return join(root, workspace, "src", path);
  if (specifier.startsWith("#")) return join(src, specifier.slice(1));
  return specifier.startsWith(".") ? resolve(dirname(from), specifier) : null;
}

const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^"]*?"([^"]+)"|import\("([^"]+)"\)/gm)].flatMap(
    ([, fixed, dynamic]) => resolveImport(file, fixed ?? dynamic ?? "") ?? [],
  );

const graph = new Map(files.map((file) => [file, importsOf(file)]));

/** Files that import themselves through others. */
function listCycles(): string[] {
  const done = new Set<string>();
  const cyclic = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    const index = path.indexOf(file);
    if (index !== -1) for (const member of path.slice(index)) cyclic.add(member);
    if (index !== -1 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  return [...cyclic];
}

const floorOf = (file: string): number => {
  const path = relative(src, file);
  const inside = (folder: string) =>
    isWorkspace(folder) ? relative(root, file).startsWith(`${folder}/`) : path.startsWith(`${folder}/`);
  return FLOORS.findIndex(([folder]) => inside(folder));
};

const upward = files.flatMap((file) =>
  (graph.get(file) ?? [])
    .filter((imported) => floorOf(imported) > floorOf(file) && floorOf(file) !== -1)
    .map((imported) => `${relative(root, file)} imports ${relative(root, imported)}`),
);
const cycles = listCycles().map((file) => relative(root, file));
const sizes = files
  .map((file) => ({ file: relative(root, file), lines: readFileSync(file, "utf8").split("\n").length - 1 }))
  .sort((a, b) => a.lines - b.lines);
const largest = sizes.at(-1);

process.stdout.write(
  `${files.length} files of product code, ${sizes.reduce((sum, { lines }) => sum + lines, 0)} lines
median file ${sizes[sizes.length >> 1]?.lines} lines, largest ${largest?.lines} (${largest?.file})
import cycles ${cycles.length}${cycles.map((file) => `\n  ${file}`).join("")}
upward imports ${upward.length}${upward.map((line) => `\n  ${line}`).join("")}
`,
);
if (cycles.length + upward.length > 0) process.exitCode = 1;
