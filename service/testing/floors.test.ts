import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);

// Who must not import what: one line for each arrow that would go up or sideways.
const FORBIDDEN = [
  ["contract/src/new.ts", "@credence/service/src/config.ts"],
  ["contract/src/new.ts", "../../service/src/config.ts"],
  ["contract/src/new.ts", "pg"],
  ["contract/src/new.ts", "@credence/explorer/html.ts"],
  ["explorer/src/new.ts", "@credence/service/src/config.ts"],
  ["explorer/src/new.ts", "../../service/src/config.ts"],
  ["explorer/src/new.ts", "fastify"],
  ["service/src/identity/new.ts", "#store/database.ts"],
  ["service/src/operations/new.ts", "@credence/explorer/html.ts"],
  ["service/src/cli/new.ts", "@credence/explorer/html.ts"],
  ["service/src/present/new.ts", "#identity/fold.ts"],
  ["service/src/present/new.ts", "pg"],
  ["service/src/invent/new.ts", "#store/database.ts"],
  ["service/src/store/new.ts", "#operations/save-people.ts"],
  ["service/src/store/new.ts", "../operations/save-people.ts"],
  ["service/src/store/new.ts", "#present/passport.ts"],
  ["service/src/store/new.ts", "#snapshot/lines.ts"],
  ["service/src/snapshot/new.ts", "#store/database.ts"],
  ["service/src/snapshot/new.ts", "#operations/save-people.ts"],
  ["service/src/operations/new.ts", "pg-copy-streams"],
  ["service/src/http/new.ts", "#snapshot/lines.ts"],
  ["service/src/operations/new.ts", "#http/app.ts"],
  ["service/src/operations/new.ts", "fastify"],
  ["service/src/scoring/new.ts", "#store/database.ts"],
  ["service/src/store/new.ts", "#scoring/score.ts"],
  ["service/src/operations/new.ts", "#worker/work.ts"],
  ["service/src/worker/new.ts", "#http/app.ts"],
  ["service/src/worker/new.ts", "pg"],
  ["service/src/http/new.ts", "#worker/work.ts"],
  ["service/src/http/new.ts", "#operations/save-people.ts"],
  ["service/src/http/new.ts", "../operations/save-people.ts"],
  ["service/src/http/v1/new.ts", "../../operations/save-people.ts"],
  ["service/src/http/new.ts", "#cli/program.ts"],
  ["service/src/http/new.ts", "pg"],
  ["service/src/cli/new.ts", "#present/passport.ts"],
  ["service/src/config.ts", "#store/database.ts"],
  ["service/src/main.ts", "#store/database.ts"],
  ["service/src/newroom/new.ts", "#cli/program.ts"],
  ["service/src/keywords/new.ts", "#store/database.ts"],
  ["service/src/store/new.ts", "#keywords/substrings.ts"],
  ["service/src/http/new.ts", "#keywords/substrings.ts"],
  ["bench/src/new.ts", "../../service/src/config.ts"],
  ["bench/src/new.ts", "@credence/contract/passport.ts"],
  ["conformance/src/new.ts", "../../service/src/config.ts"],
  ["conformance/src/clauses/new.ts", "../../../service/src/config.ts"],
  ["conformance/src/new.ts", "@credence/contract/passport.ts"],
] as const;

const ALLOWED = [
  ["contract/src/new.ts", "typebox"],
  ["contract/src/new.ts", "./fields.ts"],
  ["conformance/src/clauses/new.ts", "../clause.ts"],
  ["explorer/src/new.ts", "@credence/contract/openapi.json"],
  ["explorer/src/new.ts", "./html.ts"],
  ["service/src/http/new.ts", "@credence/explorer/html.ts"],
  ["service/src/present/new.ts", "@credence/contract/passport.ts"],
  ["service/src/store/new.ts", "pg"],
  ["service/src/operations/new.ts", "#store/database.ts"],
  ["service/src/operations/new.ts", "#snapshot/lines.ts"],
  ["service/src/operations/new.ts", "#scoring/score.ts"],
  ["service/src/operations/new.ts", "#keywords/substrings.ts"],
  ["bench/src/new.ts", "fastify"],
  ["service/src/worker/new.ts", "#operations/refresh-standing.ts"],
  ["service/src/http/v1/new.ts", "#http/deps.ts"],
  ["service/src/http/v1/new.ts", "#config.ts"],
  ["service/src/cli/new.ts", "#http/start.ts"],
  ["service/src/http/new.test.ts", "#operations/save-people.ts"],
] as const;

/** What the linter, with this repository's rules, refuses of files at these places with one import each; one run for all of them. */
function listRefused(cases: readonly (readonly [place: string, imported: string])[]): Set<string> {
  const folder = mkdtempSync(join(tmpdir(), "credence-floors-"));
  try {
    const { vcs: _, $schema: __, ...rules } = JSON.parse(readFileSync(new URL("biome.json", root), "utf8"));
    writeFileSync(join(folder, "biome.json"), JSON.stringify(rules));
    for (const [at, [place, imported]] of cases.entries()) {
      const file = join(folder, placeOf(at, place));
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

const CASES = [...FORBIDDEN, ...ALLOWED];
const refused = listRefused(CASES);

test.each(
  CASES.map(([place, imported], at) => [place, at < FORBIDDEN.length ? "may not" : "may", imported, at] as const),
)("%s %s import %s", (place, may, _, at) => {
  expect(refused.has(placeOf(at, place))).toBe(may === "may not");
});
