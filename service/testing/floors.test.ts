import { execFileSync } from "node:child_process";
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

/** Whether the linter, with this repository's rules, refuses a file at this place with this one import. */
function refuses(place: string, imported: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "credence-floors-"));
  try {
    const { vcs: _, $schema: __, ...rules } = JSON.parse(readFileSync(new URL("biome.json", root), "utf8"));
    writeFileSync(join(folder, "biome.json"), JSON.stringify(rules));
    const file = join(folder, place);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `import { thing } from "${imported}";\n\nexport const other = thing;\n`);
    const biome = new URL("node_modules/.bin/biome", root).pathname;
    execFileSync(biome, ["lint", "--only=style/noRestrictedImports", place], { cwd: folder, stdio: "pipe" });
    return false;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: Buffer; stderr: Buffer };
    expect(`${stdout}${stderr}`).toContain("noRestrictedImports");
    return true;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each(FORBIDDEN)("%s may not import %s", (place, imported) => {
  expect(refuses(place, imported)).toBe(true);
});

test.each(ALLOWED)("%s may import %s", (place, imported) => {
  expect(refuses(place, imported)).toBe(false);
});
