import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findState, listDecisions } from "#decisions/ledger.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { startShell } from "#testing/shell.ts";
import { whenDone } from "#testing/when-done.ts";

const OPT_OUT_KEY = "0123456789abcdef0123456789abcdef";

describe("credence passport", async () => {
  const { database, url } = await testDatabase();
  const credentials = [credential("a", { score: 8 }), credential("b", { category: "Karma" })];
  await savePeople(database, [
    person(1, { display_name: "Ada", main_wallet: wallet(1), score: 6 }, { credentials }),
    person(2, { main_wallet: wallet(2) }),
    person(3, { main_wallet: wallet(3) }),
    person(4, { main_wallet: wallet(4), verified_wallets: [wallet(3)] }),
    person(5, { main_wallet: wallet(3), display_name: null }),
  ]);
  const environment = { DATABASE_URL: url, OPT_OUT_KEY };
  const run = (...args: string[]) => runCommand(["passport", ...args], environment);
  const isHidden = async (id: number): Promise<boolean> => (await findState(database, id)).hidden_by_operator;

  test("show lists the credentials of a score", async () => {
    const { code, stdout } = await run("show", "1");
    expect(code).toBe(0);
    expect(stdout).toContain("Passport 1 (Ada)");
    expect(stdout).toContain("Credential a: 8 of 10");
  });

  test("show replaces control characters in names", async () => {
    await savePeople(database, [person(6, { display_name: "\u001b[2JEve\u202e\nroot" })]);
    const { stdout } = await run("show", "6");
    expect(stdout).toContain("Passport 6 (�[2JEve��root)");
    expect(JSON.parse((await run("show", "6", "--json")).stdout).passport.passport_profile.display_name).toContain(
      "Eve",
    );
  });

  test.each([
    [["hide", "0", "--yes"], '"0" is neither a passport id nor a wallet.'],
    [["hide", "1"], "Standard input is not a terminal"],
    [["erase", "1"], "Standard input is not a terminal"],
  ])("2: %j", async (args, message) => {
    const { code, stderr } = await run(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test.each([
    [["show", "99"], "Not found: no person has the id or wallet 99."],
    [["hide", "1e3", "--yes"], "Not found: no person has the id or wallet 1e3."],
    [["erase", wallet(3), "--yes"], "Passports 3, 4, 5 list that wallet."],
  ])("1: %j", async (args, message) => {
    const { code, stderr } = await run(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(1);
  });

  test("2: erase requires OPT_OUT_KEY, except for a dry run", async () => {
    const planned = await runCommand(["passport", "erase", "1", "--dry-run"], { DATABASE_URL: url });
    expect(planned.code).toBe(0);
    const { code, stderr } = await runCommand(["passport", "erase", "1", "--yes"], { DATABASE_URL: url });
    expect(code).toBe(2);
    expect(stderr).toContain("OPT_OUT_KEY is not set");
    expect((await database.query("select from person where passport_id = 1")).rowCount).toBe(1);
  });

  test("asks for confirmation on a terminal, and proceeds only on yes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "credence-test-"));
    whenDone(() => rm(folder, { recursive: true }));
    const answer = (text: string) =>
      startShell(
        `rm -f seen; touch seen
         (until grep -q 'y/N' seen; do sleep 0.1; done; printf '${text}') | script -qefc 'credence passport hide 1' seen`,
        folder,
        environment,
      ).ended;
    const no = await answer("n\\n");
    expect(no.output).toContain("Hide Passport 1 (Ada)? [y/N]");
    expect(no.output).toContain("Nothing was changed.");
    expect(no.code).toBe(1);
    expect(await isHidden(1)).toBe(false);
    // Ctrl-C.
    const stopped = await answer("\\003");
    expect(stopped.output).toContain("Nothing was changed.");
    expect(stopped.output).not.toContain("error");
    expect(stopped.code).toBe(130);
    const yes = await answer("y\\n");
    expect(yes.code, yes.output).toBe(0);
    expect(await isHidden(1)).toBe(true);
  });

  test("--dry-run changes nothing, --yes does, and a second run has nothing to do", async () => {
    expect((await run("unhide", "1", "--dry-run")).stdout).toContain("would no longer be hidden");
    expect(await isHidden(1)).toBe(true);
    expect(JSON.parse((await run("unhide", "1", "--yes", "--json")).stdout)).toEqual({
      action: "unhide",
      passport_id: 1,
      dry_run: false,
      changed: true,
    });
    const nothing = JSON.parse((await run("unhide", "1", "--dry-run", "--json")).stdout);
    expect(nothing).toMatchObject({ changed: false, would_change: false });
    expect((await run("unhide", "1", "--yes")).stdout).toContain("is not hidden.");
    const hiding = await run("hide", "1", "--dry-run", "--json");
    expect(JSON.parse(hiding.stdout)).toMatchObject({ changed: false, would_change: true });
  });

  test("erase lists other affected people first, and deletes none of them", async () => {
    const planned = await run("erase", "3", "--dry-run", "--json");
    expect(JSON.parse(planned.stdout)).toMatchObject({ changed: false, lose_a_wallet: [4, 5], lose_main_wallet: [5] });
    const { code, stdout, stderr } = await run("erase", "3", "--yes");
    expect(stdout).toBe("Erased: passport 3.\n");
    expect(stderr).toContain("Of these, their main wallet: passport 5.");
    expect(code).toBe(0);
    const [erasure] = await listDecisions(database, { since: null, passportId: 3, limit: 1 });
    const gone = await run("show", "3");
    expect(gone.stderr).toContain(`Passport 3 was erased on ${erasure?.decided_at.toISOString()}.`);
    expect(gone).toMatchObject({ code: 1, stdout: "" });
    const { rows } = await database.query("select passport_id, lost_main from person where passport_id < 6 order by 1");
    expect(rows.filter(({ lost_main }) => lost_main)).toEqual([{ passport_id: 5, lost_main: true }]);
    expect(rows.map(({ passport_id }) => passport_id)).toEqual([1, 2, 4, 5]);
  });

  test("erase takes several people, and records each decision, also about people who are not stored", async () => {
    const { code, stdout } = await run("erase", "2", "4", "77", "3", "--yes", "--json");
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, passport_ids: [2, 4, 77, 3], changed: true });
    for (const passportId of [2, 4, 77, 3]) expect((await findState(database, passportId)).erased).toBe(true);
    expect(await listDecisions(database, { since: null, passportId: 3, limit: 9 })).toHaveLength(2);
    const { rows } = await database.query("select passport_id from person where passport_id < 6 order by 1");
    expect(rows.map(({ passport_id }) => passport_id)).toEqual([1, 5]);
  });
});
