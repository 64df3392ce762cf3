import { beforeEach, describe, expect, test } from "vitest";
import { findState, listDecisions } from "#decisions/ledger.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { decideNow, erase, hide, insertRequest } from "#testing/decide.ts";
import { importLines, OPT_OUT_KEY } from "#testing/import-lines.ts";
import { findName } from "#testing/look-up.ts";
import { person, wallet } from "#testing/people.ts";

const { database, url } = await testDatabase();
const run = (...args: string[]) => runCommand(["passport", ...args], { DATABASE_URL: url, OPT_OUT_KEY });
const runJson = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, "--json");
  return { code, ...(stdout === "" ? { stderr } : JSON.parse(stdout)) };
};

let id = 0;
beforeEach(async () => {
  id += 1;
  await savePeople(database, [person(id, { display_name: "Ada", main_wallet: wallet(id) })]);
});
const isShown = async () => (await findName(database, id)) !== null;
const listActions = async () =>
  (await listDecisions(database, { since: null, passportId: id, limit: 100 })).map(({ action }) => action).reverse();
const decide = (by: "operator" | "holder", action: "hide" | "erase", request: string | null = null) =>
  decideNow(database, { action, by, passportId: id, request, dueAt: action === "erase" ? new Date() : null });

describe("hide", () => {
  test("hides a person by number or by wallet, and records a second hide too", async () => {
    const result = { code: 0, action: "hide", passport_id: id, dry_run: false };
    expect(await runJson("hide", wallet(id), "--yes")).toEqual({ ...result, changed: true });
    expect(await isShown()).toBe(false);
    // It changes nothing, so nobody is asked.
    expect(await runJson("hide", String(id))).toEqual({ ...result, changed: false });
    expect(await listActions()).toEqual(["hide", "hide"]);
  });

  test("a dry run writes nothing", async () => {
    const planned = { code: 0, action: "hide", passport_id: id, dry_run: true, changed: false };
    expect(await runJson("hide", String(id), "--dry-run")).toEqual({ ...planned, would_change: true });
    await hide(database, [id]);
    expect(await runJson("hide", String(id), "--dry-run")).toEqual({ ...planned, would_change: false });
    expect(await listActions()).toEqual(["hide"]);
  });

  test("asks first: exit code 2 without a terminal", async () => {
    expect(await run("hide", String(id))).toMatchObject({ code: 2, stdout: "" });
    expect(await isShown()).toBe(true);
    expect(await listActions()).toEqual([]);
  });

  test("decides about a number that is not stored, and asks first", async () => {
    const unknown = 1_000_000 + id;
    expect((await run("hide", String(unknown))).code).toBe(2);
    expect(await runJson("hide", String(unknown), "--yes")).toMatchObject({ code: 0, passport_id: unknown });
    await importLines(database, [person(unknown)]);
    expect(await findName(database, unknown)).toBeNull();
  });

  test("1: a wallet that nobody lists, or that several list", async () => {
    await savePeople(database, [person(500_000 + id, { verified_wallets: [wallet(id)] })]);
    for (const address of [wallet(id), wallet(900_000)]) {
      expect(await run("hide", address, "--yes")).toMatchObject({ code: 1, stdout: "" });
    }
    expect(await isShown()).toBe(true);
  });
});

describe("unhide", () => {
  test("ends hides of the operator and of the holder", async () => {
    await hide(database, [id]);
    await decide("holder", "hide");
    expect(await runJson("unhide", String(id), "--dry-run")).toMatchObject({ code: 0, would_change: true });
    expect((await run("unhide", String(id))).code).toBe(2);
    expect(await isShown()).toBe(false);
    expect(await runJson("unhide", String(id), "--yes")).toMatchObject({ code: 0, action: "unhide", changed: true });
    expect(await isShown()).toBe(true);
    // Nothing to end: no row.
    expect(await runJson("unhide", String(id), "--yes")).toMatchObject({ code: 0, changed: false });
    expect(await listActions()).toEqual(["hide", "hide", "show"]);
  });

  test("shows a person whose erasure has lost its request", async () => {
    await decide("holder", "erase");
    expect(await runJson("unhide", String(id), "--yes")).toMatchObject({ code: 0, changed: true });
    expect(await isShown()).toBe(true);
  });

  test("1: an erasure whose request is open, which is named; an erased person", async () => {
    const request = await insertRequest(database, { passportId: id, wish: "erase", state: "waiting" });
    await decide("holder", "erase", request);
    const { rows } = await database.query("select request_id from holder_request where request = $1", [request]);
    const open = await run("unhide", String(id), "--yes");
    expect(open).toMatchObject({ code: 1, stdout: "" });
    expect(open.stderr).toContain(`request ${rows[0].request_id}`);
    await erase(database, [id]);
    expect(await run("unhide", String(id), "--yes")).toMatchObject({ code: 1, stdout: "" });
    expect(await listActions()).toEqual(["erase", "erased"]);
  });
});

describe("allow", () => {
  test("lets the next import bring an erased person back", async () => {
    await erase(database, [id]);
    expect(await importLines(database, [person(id)])).toMatchObject({ erased: 1 });
    expect(await runJson("allow", String(id), "--dry-run")).toMatchObject({ code: 0, would_change: true });
    expect((await run("allow", String(id))).code).toBe(2);
    expect((await findState(database, id)).erased).toBe(true);
    expect(await runJson("allow", String(id), "--yes")).toMatchObject({ code: 0, action: "allow", changed: true });
    expect(await importLines(database, [person(id)])).toMatchObject({ added: 1 });
    expect(await isShown()).toBe(true);
  });

  test("changes nothing about a person who was not erased", async () => {
    await hide(database, [id]);
    expect(await runJson("allow", String(id), "--yes")).toMatchObject({ code: 0, changed: false });
    expect(await listActions()).toEqual(["hide"]);
  });
});
