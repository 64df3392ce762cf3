import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readPurpose, withFloorTable } from "./architecture.ts";
import { FLOORS, isWorkspace, pathOf } from "./floors.ts";
import { linterRules } from "./rules.ts";

const root = new URL("../", import.meta.url);

// Imports that go up, sideways, or out of the plan.
const FORBIDDEN = [
  ["contract/src/new.ts", "@credence/service/src/config.ts"],
  ["contract/src/new.ts", "../../service/src/config.ts"],
  ["contract/src/new.ts", "pg"],
  ["contract/src/new.ts", "@credence/explorer/html.ts"],
  ["explorer/src/new.ts", "../../service/src/config.ts"],
  ["explorer/src/new.ts", "fastify"],
  ["conformance/src/new.ts", "../../service/src/config.ts"],
  ["conformance/src/clauses/new.ts", "../../../service/src/config.ts"],
  ["conformance/src/new.ts", "@credence/contract/passport.ts"],
  ["client/src/new.ts", "@credence/contract/errors.ts"],
  ["client/src/new.ts", "../../contract/src/errors.ts"],
  ["client/src/new.ts", "lru-cache"],
  ["client/src/new.ts", "node:buffer"],
  ["bench/src/new.ts", "../../service/src/config.ts"],
  ["bench/src/new.ts", "@credence/contract/passport.ts"],
  ["service/src/config.ts", "#store/engine/database.ts"],
  ["service/src/main.ts", "#store/engine/database.ts"],
  ["service/src/newfolder/new.ts", "#cli/program.ts"],
  ["service/src/store/new.ts", "pg"],
  ["service/src/operations/new.ts", "#store/engine/database.ts"],
  ["service/src/store/engine/new.ts", "../people/passports.ts"],
  ["service/src/http/v1/new.ts", "../../operations/write/save-people.ts"],
] as const;

const ALLOWED = [
  ["contract/src/new.ts", "./fields.ts"],
  ["conformance/src/clauses/new.ts", "../clause.ts"],
  ["explorer/src/new.ts", "@credence/contract/openapi.json"],
  ["service/src/http/v1/new.ts", "#http/deps.ts"],
  ["service/src/http/v1/new.ts", "#config.ts"],
  ["service/src/http/new.test.ts", "#operations/write/save-people.ts"],
] as const;

const SERVICE = FLOORS.map(([folder]) => folder).filter((folder) => !isWorkspace(folder));
const PACKAGES = ["pg", "pg-copy-streams", "node-pg-migrate", "fastify", "pino", "commander", "lru-cache", "typebox"];
const words = (text: string): string[] => text.split(" ");
const covers = (mayImport: string, folder: string): boolean =>
  words(mayImport).some((name) => name === folder || (name.endsWith("/*") && folder.startsWith(name.slice(0, -1))));

/**
 * Every pair of folders, and every folder with every package: what the table says, the linter must
 * do.
 */
const PAIRS = FLOORS.filter(([folder]) => !isWorkspace(folder)).flatMap(([folder, mayImport, packages]) => {
  const place = `service/src/${folder}/new.ts`;
  return [
    ...SERVICE.map((other) => {
      const isInside = other === folder || other.startsWith(`${folder}/`);
      // cli lists its folders although they are inside: it may import them in either way.
      return [
        place,
        `#${other}/some.ts`,
        isInside || covers(mayImport, other) || words(mayImport).some((name) => other.startsWith(`${name}/`)),
      ] as const;
    }),
    ...PACKAGES.map((name) => [place, name, words(packages).includes(name)] as const),
    [place, "@credence/contract/fields.ts", words(mayImport).includes("contract")] as const,
    [place, "@credence/explorer/html.ts", words(mayImport).includes("explorer")] as const,
  ];
});

const CASES = [
  ...FORBIDDEN.map(([place, imported]) => [place, imported, false] as const),
  ...ALLOWED.map(([place, imported]) => [place, imported, true] as const),
  ...PAIRS,
];

/**
 * What the linter, with this repository's rules, refuses of files at these places with one import
 * each; one run for all of them.
 */
function listRefused(cases: readonly (readonly [place: string, imported: string, may: boolean])[]): Set<string> {
  const folder = mkdtempSync(join(tmpdir(), "credence-floors-"));
  try {
    const { vcs: _, $schema: __, ...rules } = JSON.parse(readFileSync(new URL("biome.json", root), "utf8"));
    writeFileSync(join(folder, "biome.json"), JSON.stringify(rules));
    mkdirSync(join(folder, "structure"));
    writeFileSync(join(folder, "structure/biome.floors.json"), linterRules());
    for (const [index, [place, imported]] of cases.entries()) {
      const file = join(folder, placeOf(index, place));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `import { thing } from "${imported}";\n\nexport const other = thing;\n`);
    }
    const biome = new URL("node_modules/.bin/biome", root).pathname;
    const args = ["lint", "--only=style/noRestrictedImports", "--reporter=json", "--max-diagnostics=none", "."];
    const { stdout } = spawnSync(biome, args, { cwd: folder, encoding: "utf8" });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] };
    expect(new Set(diagnostics.map(({ category }) => category))).toEqual(new Set(["lint/style/noRestrictedImports"]));
    return new Set(diagnostics.map(({ location }) => location.path));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Files that are not called new are named in the rules, and only one of them is asked about. */
const placeOf = (at: number, place: string): string => place.replace("/new.", `/new-${at}.`);

const refused = listRefused(CASES);

test("the linter allows what the floor plan allows, and nothing else", () => {
  const wrong = CASES.filter(([place, , may], index) => refused.has(placeOf(index, place)) === may);
  expect(wrong).toEqual([]);
  expect(refused.size).toBeGreaterThan(500);
});

test("the floor plan has no upward arrow: a folder imports only folders above it in the table", () => {
  const order = FLOORS.map(([folder]) => folder);
  for (const [index, [folder, mayImport]] of FLOORS.entries()) {
    const imported = order.filter((other) => mayImport !== "" && covers(mayImport, other));
    for (const other of imported) expect(order.indexOf(other), `${folder} imports ${other}`).toBeLessThan(index);
  }
});

const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

test("the generated parts are up to date: else run `npm run structure`", () => {
  expect(read("structure/biome.floors.json")).toBe(linterRules());
  expect(read("ARCHITECTURE.md")).toBe(withFloorTable(read("ARCHITECTURE.md")));
});

test("every folder says in two lines what belongs there and what does not", () => {
  const folders = globSync("service/src/**/*.ts", { cwd: root.pathname }).map(dirname);
  const described = new Set([...folders, ...FLOORS.map(([folder]) => pathOf(folder))]).difference(
    new Set(["service/src"]),
  );
  expect(described.size).toBeGreaterThan(35);
  for (const folder of described) {
    const [belongs, not, ...rest] = readPurpose(folder);
    expect([belongs?.length, rest.length], folder).toEqual([expect.any(Number), 0]);
    expect(not, folder).toMatch(/^Not: /);
  }
});
