import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { decideNow, erase, hide } from "#testing/decide.ts";
import { exportFile } from "#testing/decisions-file.ts";
import { testFolder } from "#testing/folder.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { openDecisions, readDecisions } from "./file.ts";
import { fingerprintOf, hashWallet } from "./keys.ts";
import { appendKeyDecision, listDecisions } from "./ledger.ts";

const OTHER_KEY = "another key that nobody could guess";

const read = (path: string, keys: readonly string[] = [OPT_OUT_KEY]) => readDecisions(openDecisions(path), keys);

describe("a file of decisions", async () => {
  const { database } = await testDatabase();
  await savePeople(database, [person(1, { main_wallet: wallet(1), display_name: "Quixanthe" }), person(2)]);
  await hide(database, [1]);
  await erase(database, [1]);
  await decideNow(database, { action: "allow", by: "operator", passportId: 1 });
  await decideNow(database, { action: "erase", by: "holder", passportId: 2, dueAt: new Date("2030-01-01") });
  await appendKeyDecision(database, "expire key", "a key", new Date("2030-01-01T01:02:03.456Z"));
  const path = await exportFile(database);
  const text = await readFile(path, "utf8");
  const lines = text.trimEnd().split("\n");
  const write = async (content: string | Buffer): Promise<string> => {
    const changed = join(testFolder(), "changed");
    await writeFile(changed, content);
    return changed;
  };
  const writeLines = (changed: readonly (string | undefined)[]) => write(`${changed.join("\n")}\n`);

  test("has every decision as it is stored, in order of their ids", async () => {
    const { decisions, isOurs, key } = await read(path);
    const stored = await listDecisions(database, { since: null, passportId: null, limit: 100 });
    expect({ isOurs, key }).toEqual({ isOurs: true, key: fingerprintOf(OPT_OUT_KEY) });
    expect(decisions.map(({ decision_id }) => decision_id)).toEqual(
      stored.map(({ decision_id }) => decision_id).toSorted(),
    );
    const find = (action: string) => decisions.find((decision) => decision.action === action);
    const erased = find("erased");
    expect(erased).toMatchObject({
      decided_by: "operator",
      passport_id: 1,
      wallet_key: fingerprintOf(OPT_OUT_KEY),
      wallets: [hashWallet(OPT_OUT_KEY, wallet(1))],
    });
    expect(find("allow")?.ends).toEqual([erased?.decision_id]);
    expect(new Date(find("expire key")?.due_at ?? "")).toEqual(new Date("2030-01-01T01:02:03.456Z"));
    expect(find("hide")).not.toHaveProperty("ends");
  });

  test("has no names and wallets, and can be read by its owner only", async () => {
    for (const secret of ["Quixanthe", wallet(1).slice(2)]) expect(text).not.toContain(secret);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("may be compressed", async () => {
    for (const compress of [gzipSync, zstdCompressSync])
      expect((await read(await write(compress(text)))).isOurs).toBe(true);
  });

  test("is authenticated by any key of ours, and by no other", async () => {
    expect((await read(path, [OTHER_KEY, OPT_OUT_KEY])).isOurs).toBe(true);
    expect((await read(path, [OTHER_KEY])).isOurs).toBe(false);
    expect((await read(path, [])).isOurs).toBe(false);
    const unkeyed = await read(await exportFile(database, []));
    expect(unkeyed).toMatchObject({ isOurs: false, key: null, decisions: expect.any(Array) });
  });

  test.each([
    ["a changed number", (line: string) => line.replace('"passport_id":1', '"passport_id":3')],
    ["another action", (line: string) => line.replace('"hide"', '"show"')],
    ["a space more", (line: string) => line.replace("{", "{ ")],
  ])("is not authenticated with %s", async (_, change) => {
    const changed = lines.map((line, index) => (index === 0 ? line : change(line)));
    expect(changed).not.toEqual(lines);
    expect((await read(await writeLines(changed))).isOurs).toBe(false);
  });

  test("is not authenticated in another order", async () => {
    const [header, first, second, ...rest] = lines;
    expect((await read(await writeLines([header, second, first, ...rest]))).isOurs).toBe(false);
  });

  test.each([
    ["without its last line", (all: string[]) => all.slice(0, -1)],
    ["without a line in the middle", (all: string[]) => all.toSpliced(2, 1)],
    ["without its first line", (all: string[]) => all.slice(1)],
    ["with lines after the end", (all: string[]) => [...all, all[1] as string]],
    ["with two ends", (all: string[]) => [...all, all.at(-1) as string]],
    ["with a line that is not JSON", (all: string[]) => all.with(2, "{")],
    ["with an unknown field", (all: string[]) => all.with(2, (all[2] as string).replace("{", '{"new": 1, '))],
    ["with a number that is none", (all: string[]) => all.with(2, '{"decision_id":"x"}')],
    ["that is empty", () => []],
    ["of another version", (all: string[]) => all.with(0, '{"format":"credence-decisions","version":2}')],
  ])("is refused %s", async (_, change) => {
    await expect(read(await writeLines(change(lines)))).rejects.toMatchObject({ name: "SnapshotRefused" });
  });

  test("is refused if a line of it is cut", async () => {
    for (const bytes of [1, 100, text.length / 2, text.length - 10]) {
      await expect(read(await write(text.slice(0, bytes)))).rejects.toMatchObject({ name: "SnapshotRefused" });
    }
  });
});
