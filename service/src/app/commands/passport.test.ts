import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
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
  const isHidden = async (id: number): Promise<boolean> =>
    (await database.query("select hidden from passport where passport_id = $1", [id])).rows[0].hidden;

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
    [["hide", "1e3", "--yes"], '"1e3" is neither a passport id nor a wallet.'],
    [["hide", "1"], "Standard input is not a terminal"],
    [["erase", "1"], "Standard input is not a terminal"],
  ])("2: %j", async (args, message) => {
    const { code, stderr } = await run(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test.each([
    [["show", "99"], "Not found: no person has the id or wallet 99."],
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
    expect((await database.query("select from passport where passport_id = 1")).rowCount).toBe(1);
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

  test("erase lists other affected people first", async () => {
    const planned = await run("erase", "3", "--dry-run", "--json");
    expect(JSON.parse(planned.stdout)).toMatchObject({ changed: false, erased_too: [5], lose_a_wallet: [4] });
    const { code, stdout, stderr } = await run("erase", "3", "--yes");
    expect(stdout).toBe("Passport 3 is erased.\n");
    expect(stderr).toContain("Also erased, because their main wallet is one of these: passport 5.");
    expect(code).toBe(0);
    expect((await run("erase", "3", "--yes")).stdout).toMatch(/^Passport 3 was already erased on 20.*\.$/m);
    const erasedAt = (await database.query("select opted_out_at from opt_out where passport_id = 3")).rows[0];
    for (const command of ["show"]) {
      const gone = await run(command, "3");
      expect(gone.stderr).toContain(`Passport 3 was erased on ${erasedAt.opted_out_at.toISOString()}.`);
      expect(gone).toMatchObject({ code: 1, stdout: "" });
    }
    const { rows } = await database.query("select passport_id from passport order by 1");
    expect(rows.map((row) => row.passport_id)).toEqual([1, 2, 4, 6]);
    const { rows: audit } = await database.query(
      "select action, passport_id from audit where action = 'erase' order by 2",
    );
    expect(audit).toEqual([
      { action: "erase", passport_id: 3 },
      { action: "erase", passport_id: 5 },
    ]);
  });
});
