import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { withTables } from "./architecture.ts";
import { CORE, FEATURES, type Feature, words } from "./features.ts";
import { featureOf, readSources } from "./imports.ts";
import { drawFeatures } from "./picture.ts";
import { type Kind, linterRules } from "./rules.ts";

const root = new URL("../", import.meta.url);
const src = "service/src";

// Imports that a person may try.
const FORBIDDEN = [
  ["contract/src/new.ts", "@credence/service/src/core/config/config.ts"],
  ["contract/src/new.ts", "../../service/src/core/config/config.ts"],
  ["contract/src/new.ts", "pg"],
  ["contract/src/new.ts", "@credence/explorer/html.ts"],
  ["explorer/src/new.ts", "../../service/src/core/config/config.ts"],
  ["explorer/src/new.ts", "fastify"],
  ["conformance/src/clauses/new.ts", "../../../service/src/core/config/config.ts"],
  ["conformance/src/new.ts", "@credence/contract/passport.ts"],
  ["client/src/new.ts", "@credence/contract/errors.ts"],
  ["client/src/new.ts", "../../contract/src/errors.ts"],
  ["client/src/new.ts", "lru-cache"],
  ["client/src/new.ts", "node:buffer"],
  ["bench/src/new.ts", "../../service/src/core/config/config.ts"],
  [`${src}/main.ts`, "#core/database/database.ts"],
  [`${src}/cli.ts`, "./people/write/save-people.ts"],
  [`${src}/new.ts`, "#core/database/database.ts"],
  [`${src}/newfolder/new.ts`, "#core/database/database.ts"],
  [`${src}/core/new.ts`, "pg"],
  [`${src}/core/database/new.ts`, "#people/facts/people.ts"],
  [`${src}/core/config/new.ts`, "#core/database/database.ts"],
  [`${src}/v1/new.ts`, "../people/write/save-people.ts"],
  [`${src}/v1/new.ts`, "#people/write/save-people.ts"],
  [`${src}/v1/new.ts`, "./../people/write/save-people.ts"],
  [`${src}/v1/new.ts`, "./answers/../../people/write/save-people.ts"],
  [`${src}/app/serve/new.ts`, "./../work/work.ts"],
  [`${src}/holders/serve/new.ts`, "./../manage/requests.ts"],
  [`${src}/holders/serve/new.ts`, "../manage/requests.ts"],
  [`${src}/holders/new.ts`, "./manage/requests.ts"],
  [`${src}/decisions/new.ts`, "./commands/decisions.ts"],
  [`${src}/app/serve/new.ts`, "#keys/manage/api-keys.ts"],
  [`${src}/app/serve/new.ts`, "#people/facts/people.ts"],
  [`${src}/app/serve/new.ts`, "#doctor/diagnose.ts"],
  [`${src}/app/serve/new.ts`, "#app/work/work.ts"],
  [`${src}/app/serve/new.ts`, "#usage/commands/usage.ts"],
  [`${src}/app/work/new.ts`, "#v1/routes.ts"],
  [`${src}/app/work/new.ts`, "#app/serve/app.ts"],
  [`${src}/app/work/new.ts`, "#keys/commands/keys.ts"],
  [`${src}/app/commands/new.ts`, "#v1/routes.ts"],
  [`${src}/people/new.ts`, "#app/work/work.ts"],
] as const;

const ALLOWED = [
  ["contract/src/new.ts", "./fields.ts"],
  ["conformance/src/clauses/new.ts", "../clause.ts"],
  ["explorer/src/new.ts", "@credence/contract/openapi.json"],
  [`${src}/app/serve/new.ts`, "#v1/routes.ts"],
  [`${src}/app/serve/new.ts`, "#list/epochs.ts"],
  [`${src}/app/work/new.ts`, "#people/write/save-people.ts"],
  [`${src}/app/commands/new.ts`, "#app/serve/run-server.ts"],
  [`${src}/app/commands/new.ts`, "#decisions/commands/decisions.ts"],
  [`${src}/v1/new.test.ts`, "#people/write/save-people.ts"],
] as const;

const kindsOf = ({ side }: Feature): Kind[] =>
  side === "both" ? ["shared", "serve", "manage", "commands"] : side === "serve" ? ["serve"] : ["manage", "commands"];

/** The folder of code of a kind. */
function folderOf({ name, side }: Feature, kind: Kind): string {
  return kind === "commands" || (side === "both" && kind !== "shared") ? `${name}/${kind}` : name;
}

/** Code of a kind may use code of these kinds. */
const USES: Readonly<Record<Kind, readonly Kind[]>> = {
  shared: ["shared"],
  serve: ["serve", "shared"],
  manage: ["manage", "shared"],
  commands: ["commands", "manage", "shared"],
};

const PACKAGES = ["pg", "pg-copy-streams", "node-pg-migrate", "fastify", "pino", "commander", "lru-cache", "typebox"];

/** Every two kinds of code of every two features, and every feature with every package. */
const PAIRS = FEATURES.flatMap((feature) =>
  kindsOf(feature).flatMap((kind) => {
    const place = `${src}/${folderOf(feature, kind)}/new.ts`;
    const may = words(feature.mayImport);
    return [
      ...FEATURES.flatMap((other) =>
        kindsOf(other).map((otherKind) => {
          const isBelow = other === feature || may.includes(other.name);
          return [place, `#${folderOf(other, otherKind)}/some.ts`, isBelow && USES[kind].includes(otherKind)] as const;
        }),
      ),
      ...CORE.map(({ name }) => [place, `#${name}/some.ts`, true] as const),
      ...PACKAGES.map((name) => [place, name, words(feature.packages).includes(name)] as const),
      [place, "#app/serve/app.ts", false] as const,
      [place, "@credence/contract/fields.ts", may.includes("@contract")] as const,
      [place, "@credence/explorer/html.ts", may.includes("@explorer")] as const,
    ];
  }),
);

/** Every two folders of core; and core with every feature. */
const CORE_PAIRS = CORE.flatMap((folder) =>
  [...CORE, ...FEATURES].map((other) => {
    const may = other === folder || words(folder.mayImport).includes(other.name);
    return [`${src}/${folder.name}/new.ts`, `#${other.name}/some.ts`, may] as const;
  }),
);

const CASES = [
  ...FORBIDDEN.map(([place, imported]) => [place, imported, false] as const),
  ...ALLOWED.map(([place, imported]) => [place, imported, true] as const),
  ...PAIRS,
  ...CORE_PAIRS,
];

/** Half of the planted imports are of types. */
const lineOf = (index: number, imported: string): string =>
  `import ${index % 2 === 0 ? "" : "type "}{ thing as thing${index} } from "${imported}";`;

/**
 * Which of these cases the linter refuses, with this repository's rules: in one run, of one file for each place with a
 * line for each import.
 */
function listRefused(cases: readonly (readonly [place: string, imported: string, may: boolean])[]): Set<number> {
  const folder = mkdtempSync(join(tmpdir(), "credence-features-"));
  try {
    const { vcs: _, $schema: __, ...rules } = JSON.parse(readFileSync(new URL("biome.json", root), "utf8"));
    writeFileSync(join(folder, "biome.json"), JSON.stringify(rules));
    mkdirSync(join(folder, "structure"));
    writeFileSync(join(folder, "structure/biome.features.json"), linterRules());
    const planted = Map.groupBy(cases.keys(), (index) => cases[index]?.[0] as string);
    for (const [place, indexes] of planted) {
      const file = join(folder, place);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, indexes.map((index) => `${lineOf(index, cases[index]?.[1] as string)}\n`).join(""));
    }
    const biome = new URL("node_modules/.bin/biome", root).pathname;
    const args = ["lint", "--only=style/noRestrictedImports", "--reporter=json", "--max-diagnostics=none", "."];
    const { stdout } = spawnSync(biome, args, { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 28 });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
    expect(new Set(diagnostics.map(({ category }) => category))).toEqual(new Set(["lint/style/noRestrictedImports"]));
    return new Set(diagnostics.map(({ location }) => planted.get(location.path)?.[location.start.line - 1] as number));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Diagnostic = { category: string; location: { path: string; start: { line: number } } };

const refused = listRefused(CASES);

test("the linter allows what the table allows, and nothing else, types included", () => {
  const wrong = CASES.filter(([, , may], index) => refused.has(index) === may);
  expect(wrong).toEqual([]);
  expect(refused.size).toBeGreaterThan(1_000);
});

/** The kind of code that a file is; null for core, which all may import. */
function kindOf(path: string): Kind | null {
  const feature = FEATURES.find(({ name }) => path.startsWith(`${src}/${name}/`));
  if (feature === undefined) return null;
  return (
    kindsOf(feature).find((kind) => path.startsWith(`${src}/${feature.name}/${kind}/`)) ?? kindsOf(feature)[0] ?? null
  );
}

test("every import of the code is one that the table allows, however it is written", () => {
  const wrong = readSources().flatMap(({ path, imports }) => {
    const feature = FEATURES.find(({ name }) => name === featureOf(path));
    const kind = kindOf(path);
    if (feature === undefined || kind === null) return [];
    return imports.filter((imported) => {
      const other = featureOf(imported);
      if (other === null || other.startsWith("core/")) return false;
      const isBelow = other === feature.name || words(feature.mayImport).includes(other);
      return !isBelow || !USES[kind].includes(kindOf(imported) as Kind);
    });
  });
  expect(wrong).toEqual([]);
});

test("a feature imports only features above it in the table, so there is no circle", () => {
  for (const table of [FEATURES, CORE]) {
    const order = table.map(({ name }) => name);
    for (const [index, { name, mayImport }] of table.entries()) {
      for (const other of words(mayImport).filter((word) => !word.startsWith("@"))) {
        expect(order.slice(0, index), `${name} imports ${other}`).toContain(other);
      }
    }
  }
});

const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

test("the generated parts are up to date: else run `npm run structure`", () => {
  expect(read("structure/biome.features.json")).toBe(linterRules());
  expect(read("docs/pictures/features.svg")).toBe(drawFeatures());
  // Numbers of lines change with the code, and are only written anew.
  const withoutCounts = (text: string): string => text.replaceAll(/ [\d,]+ \|$/gm, " |");
  expect(withoutCounts(read("ARCHITECTURE.md"))).toBe(withoutCounts(withTables(read("ARCHITECTURE.md"))));
});

test("documents of the structure stay short", () => {
  expect(read("ARCHITECTURE.md").trimEnd().split("\n").length).toBeLessThanOrEqual(250);
  for (const file of globSync(`${src}/**/README.md`, { cwd: root.pathname })) {
    expect(read(file).trimEnd().split("\n").length, file).toBeLessThanOrEqual(20);
    expect(FEATURES.map(({ name }) => `${src}/${name}/README.md`)).toContain(file);
    const files = globSync(`${dirname(file)}/**/*.ts`, { cwd: root.pathname, exclude: ["**/*.test.ts"] });
    expect(files.length, file).toBeGreaterThan(10);
  }
});
