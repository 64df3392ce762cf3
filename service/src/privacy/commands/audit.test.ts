import { describe, expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";

describe("credence audit", async () => {
  const { database, url } = await testDatabase();
  const audit = (...args: string[]) => runCommand(["audit", ...args], { DATABASE_URL: url });

  test("lists entries newest first, from a date on and up to a limit", async () => {
    expect(await audit()).toEqual({ code: 0, stdout: "No entries.\n", stderr: "" });
    await database.query(
      `insert into audit (at, action, passport_id, by_role) values
       ('2026-03-01T10:00:00Z', 'hide', 7, 'ada'),
       ('2026-03-03T00:00:00Z', 'erase', 9, 'ada'),
       ('2026-03-02T10:00:00Z', 'unhide', 8, 'grace')`,
    );
    const [erased, shown, hidden] = [
      "2026-03-03T00:00:00.000Z  erase     passport 9, by ada\n",
      "2026-03-02T10:00:00.000Z  unhide    passport 8, by grace\n",
      "2026-03-01T10:00:00.000Z  hide      passport 7, by ada\n",
    ];
    expect(await audit()).toEqual({ code: 0, stdout: `${erased}${shown}${hidden}`, stderr: "" });
    expect((await audit("--since", "2026-03-02")).stdout).toBe(`${erased}${shown}`);
    expect((await audit("--since", "2026-03-03T00:00:00Z")).stdout).toBe(erased);
    expect(await audit("--limit", "2")).toEqual({
      code: 0,
      stdout: `${erased}${shown}`,
      stderr: "There are older entries. Increase --limit to list them.\n",
    });
    expect(JSON.parse((await audit("--json", "--since", "2026-03-02", "--limit", "9")).stdout)).toEqual([
      {
        at: "2026-03-03T00:00:00.000Z",
        action: "erase",
        passport_id: 9,
        people: null,
        requests: null,
        by_role: "ada",
        request_id: null,
      },
      {
        at: "2026-03-02T10:00:00.000Z",
        action: "unhide",
        passport_id: 8,
        people: null,
        requests: null,
        by_role: "grace",
        request_id: null,
      },
    ]);
  });

  test("an entry about a number of people names the number", async () => {
    await database.query("insert into audit (at, action, people) values ('2020-01-01', 'keep hidden', 3)");
    const { stdout } = await audit("--limit", "100");
    expect(stdout).toMatch(/^2020-01-01T00:00:00.000Z {2}keep hidden {2}3 people, by \w+$/m);
  });

  test("lists 50 entries by default", async () => {
    await database.query("insert into audit (action, passport_id) select 'hide', n from generate_series(1, 60) as n");
    const { stdout, stderr } = await audit("--json");
    expect(JSON.parse(stdout)).toHaveLength(50);
    expect(stderr).toContain("There are older entries.");
  });

  test.each([
    [["--since", "yesterday"], "Expected a date such as"],
    [["--limit", "0"], "Expected a whole number of at least 1."],
    [["--limit", "all"], "Expected a whole number of at least 1."],
  ])("2: %j", async (args, message) => {
    const { code, stderr } = await audit(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
