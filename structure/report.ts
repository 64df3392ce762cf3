import { CORE, FEATURES } from "./features.ts";
import { featureOf, readSources, type SourceFile } from "./imports.ts";

// Prints figures about the structure, and fails on an upward import or an import cycle. CI runs it.

const files = readSources();
const byPath = new Map(files.map((file) => [file.path, file]));

/** Files that import themselves through others. */
function listCycles(): string[] {
  const done = new Set<string>();
  const cyclic = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    const index = path.indexOf(file);
    if (index !== -1) for (const member of path.slice(index)) cyclic.add(member);
    if (index !== -1 || done.has(file)) return;
    for (const next of byPath.get(file)?.imports ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const { path } of files) walk(path, []);
  return [...cyclic];
}

/** From the ground up. The composition is above all. */
const ORDER = [...CORE, ...FEATURES].map(({ name }) => name).concat("app");
const heightOf = (path: string): number => ORDER.indexOf(featureOf(path) ?? "");

const upward = files.flatMap(({ path, imports }) =>
  imports
    .filter((imported) => heightOf(imported) > heightOf(path) && heightOf(path) !== -1)
    .map((imported) => `${path} imports ${imported}`),
);
const cycles = listCycles();

/** Imports between features, without core and the composition: how many stay in their feature. */
const isFeature = (path: string): boolean => FEATURES.some(({ name }) => name === featureOf(path));
const between = files
  .filter(({ path }) => isFeature(path))
  .flatMap(({ path, imports }) => imports.filter(isFeature).map((to) => featureOf(path) === featureOf(to)));
const inside = between.filter(Boolean).length;

const sum = (some: readonly SourceFile[]): number => some.reduce((total, { lines }) => total + lines, 0);
const rowOf = (name: string): string => {
  const some = files.filter(({ path }) => featureOf(path)?.split("/")[0] === name);
  return `  ${name.padEnd(16)}${String(some.length).padStart(4)} files ${sum(some).toLocaleString("en").padStart(7)} lines`;
};
const sizes = files.toSorted((a, b) => a.lines - b.lines);
const largest = sizes.at(-1);

process.stdout.write(
  `${files.length} files of product code, ${sum(files)} lines
median file ${sizes[sizes.length >> 1]?.lines} lines, largest ${largest?.lines} (${largest?.path})
${["core", ...FEATURES.map(({ name }) => name), "app"].map(rowOf).join("\n")}
imports between features that stay inside one: ${inside} of ${between.length}
import cycles ${cycles.length}${cycles.map((file) => `\n  ${file}`).join("")}
upward imports ${upward.length}${upward.map((line) => `\n  ${line}`).join("")}
`,
);
if (cycles.length + upward.length > 0) process.exitCode = 1;
