import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import type { Person } from "@credence/contract/person.ts";
import { describe, expect, test } from "vitest";
import type { Database } from "#core/database/database.ts";
import { appendKeyDecision } from "#decisions/ledger.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { hide } from "#testing/decide.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { whenDone } from "#testing/when-done.ts";
import { exportPeople } from "./export-people.ts";

async function exportAll(database: Database) {
  const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
  whenDone(() => rm(folder, { recursive: true }));
  const manifest = await exportPeople(database, folder, {
    source: "test",
    privateKey: null,
    optOutKeys: [OPT_OUT_KEY],
    onProgress: () => {},
  });
  const read = async (name: string) => {
    const text = zstdDecompressSync(await readFile(join(folder, name))).toString();
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  const people: Person[] = (await Promise.all(manifest.files.map((file) => read(file.name)))).flat();
  return { manifest, people, decisions: await read(manifest.decisions?.name ?? "") };
}

describe("exportPeople", () => {
  test("exports the lines of all people, hidden or not, and the decisions about people", async () => {
    const { database } = await testDatabase();
    const people = [
      person(
        1,
        { main_wallet: wallet(1), verified_wallets: [wallet(1)], score: null },
        { credentials: [credential("b")] },
      ),
      person(2, { verified_wallets: [wallet(2)], merged: true }),
      person(3, { display_name: null }),
      person(2 ** 53 - 1, { score: 1e-7, display_name: 'a"\\\n🦊' }),
    ];
    await savePeople(database, people.toReversed());
    await hide(database, [3, 9]);
    // Keys concern this server only.
    await appendKeyDecision(database, "revoke key", "abc");
    const { manifest, people: exported, decisions } = await exportAll(database);
    expect(exported).toEqual(people);
    expect(manifest).toMatchObject({ people: 4, credentials: 1, source: "test", decisions: { decisions: 2 } });
    const about = decisions
      .slice(1, -1)
      .map(({ action, decided_by, passport_id }) => [action, decided_by, passport_id]);
    expect(about.toSorted((a, b) => a[2] - b[2])).toEqual([
      ["hide", "operator", 3],
      ["hide", "operator", 9],
    ]);
  });

  test("exports one consistent state during concurrent writes", async () => {
    const { database } = await testDatabase();
    const population = (score: number) => Array.from({ length: 1_000 }, (_, index) => person(index + 1, { score }));
    await savePeople(database, population(0));
    let isWriting = true;
    const writing = (async () => {
      for (let round = 1; isWriting; round += 1) await savePeople(database, population(round));
    })();
    const seen = new Set<number>();
    // Export until two states have been seen: a round of writes may be slower than an export.
    for (let count = 0; count < 4 || seen.size < 2; count += 1) {
      const { people } = await exportAll(database);
      expect(people).toHaveLength(1_000);
      const scores = new Set(people.map(({ passport }) => passport.score));
      expect(scores.size).toBe(1);
      for (const score of scores) seen.add(score ?? -1);
    }
    isWriting = false;
    await writing;
  });
});
