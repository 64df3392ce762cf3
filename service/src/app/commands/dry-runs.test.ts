import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { buildProgram } from "#cli.ts";
import { exportDecisions } from "#decisions/keep-file.ts";
import { appendKeyDecision } from "#decisions/ledger.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { erase, hide, show } from "#testing/decide.ts";
import { testFolder } from "#testing/folder.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { testTerminal } from "#testing/terminal.ts";

// A dry run reads, says what would happen, and changes nothing: whatever the state of the people is.

const { database, url } = await testDatabase();
const folder = testFolder();
const environment = { DATABASE_URL: url, OPT_OUT_KEY };
const [SHOWN, HIDDEN, MERGED, ERASED, MISSING] = [1, 2, 3, 4, 99] as const;
let byHolder = 0;
let waiting = 0;
let keyId = "";

const dump = (): string =>
  execFileSync("pg_dump", [url], { encoding: "utf8" })
    .split("\n")
    // A new token each time.
    .filter((line) => !/^\\(un)?restrict /.test(line))
    .join("\n");

/** People in all states, and files about them. */
async function prepare(): Promise<void> {
  const credentials = [credential("a")];
  await savePeople(database, [
    person(SHOWN, { main_wallet: wallet(1) }, { credentials }),
    ...[HIDDEN, MERGED, ERASED].map((id) => person(id, { main_wallet: wallet(id), merged: id === MERGED })),
  ]);
  await hide(database, [HIDDEN]);
  await erase(database, [ERASED]);
  const { prepare } = holderTests(database);
  const hides = await prepare();
  await hides.ask(hides.main, "hide");
  byHolder = hides.id;
  const asks = await prepare();
  await asks.ask(asks.main, "erase");
  waiting = asks.id;
  ({ keyId } = await issueKey(database, { label: "a", contact: "b", expiresAt: null }));
  const lines = [SHOWN, HIDDEN, MERGED, ERASED, byHolder, waiting, 50].flatMap((id) => [
    person(id, { main_wallet: wallet(id), score: 77 }),
  ]);
  const text = lines.map((line) => JSON.stringify(line));
  writeFileSync(join(folder, "people.ndjson"), `${text.join("\n")}\n{"not": "a person"}\n`);
  await writeOtherDecisions();
}

/** A file that hides, shows, erases and revokes: that of another database, of the same people. */
async function writeOtherDecisions(): Promise<void> {
  const { database: other, url: otherUrl } = await testDatabase();
  await savePeople(
    other,
    [SHOWN, HIDDEN, MERGED, byHolder].map((id) => person(id, { main_wallet: wallet(id) })),
  );
  await hide(other, [SHOWN]);
  for (const decide of [hide, show]) await decide(other, [HIDDEN]);
  await erase(other, [MERGED]);
  await appendKeyDecision(other, "revoke key", keyId);
  await exportDecisions(other, join(folder, "decisions.ndjson"), [OPT_OUT_KEY]);
  await runCommand(["export", join(folder, "snapshot")], { DATABASE_URL: otherUrl, OPT_OUT_KEY });
  await exportDecisions(other, join(folder, "foreign.ndjson"), ["another key of another authority"]);
}

beforeAll(prepare);

const RUNS: Record<string, (() => string[])[]> = {
  import: [
    () => ["import", join(folder, "people.ndjson"), "--rejects", join(folder, "rejects.ndjson")],
    () => ["import", join(folder, "people.ndjson"), "--rejects", join(folder, "rejects-2.ndjson")],
    () => ["import", join(folder, "snapshot")],
  ],
  "decisions import": [
    () => ["decisions", "import", join(folder, "decisions.ndjson")],
    () => ["decisions", "import", join(folder, "foreign.ndjson")],
  ],
  "keys revoke": [() => ["keys", "revoke", keyId]],
  "passport hide": people("hide"),
  "passport unhide": people("unhide"),
  "passport erase": people("erase"),
  "passport allow": people("allow"),
};

function people(action: string): (() => string[])[] {
  const ids = [SHOWN, HIDDEN, MERGED, ERASED, MISSING].map((id) => () => id as number);
  return [...ids, () => byHolder, () => waiting].map((id) => () => ["passport", action, String(id())]);
}

function listCommands(command: Command, path: string[] = []): [string, Command][] {
  return command.commands.flatMap((child) => {
    const here = [...path, child.name()];
    return [[here.join(" "), child] as [string, Command], ...listCommands(child, here)];
  });
}

test("every command with --dry-run is here", async () => {
  const program = await buildProgram(testTerminal());
  const found = listCommands(program).filter(([, command]) => command.options.some(({ long }) => long === "--dry-run"));
  expect(found.map(([name]) => name).sort()).toEqual(Object.keys(RUNS).sort());
});

describe.each(Object.entries(RUNS))("credence %s --dry-run", (_name, runs) => {
  test("writes nothing", async () => {
    const before = dump();
    for (const argumentsOf of runs) {
      const { stderr } = await runCommand([...argumentsOf(), "--dry-run"], environment);
      expect(stderr).not.toContain("read-only transaction");
    }
    expect(dump()).toBe(before);
  });
});
