import { describe, expect, test } from "vitest";
import { checkRequests } from "#holders/manage/check-requests.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";

describe("credence requests", async () => {
  const { database, url } = await testDatabase();
  const { prepare, endGrace } = holderTests(database);
  const run = (args: readonly string[], environment = {}) =>
    runCommand(["requests", ...args], { DATABASE_URL: url, ...environment });
  const check = async () => (await checkRequests(database)).state;

  test("an empty list says how to see closed requests", async () => {
    const { main, ask } = await prepare();
    expect((await run(["list", "--all"])).stdout).toBe("No requests.\n");
    await ask(main, "hide");
    expect((await run(["list"])).stdout).toContain("--all");
    expect(JSON.parse((await run(["list", "--all", "--json"])).stdout)).toMatchObject([{ state: "done" }]);
    expect(await check()).toBe("ok");
  });

  test("lists, shows, approves and refuses", async () => {
    const { id, bobId, main, other, ask, isHidden } = await prepare(({ bob, ada }) => {
      bob.verified_wallets = [ada.main_wallet ?? ""];
    });
    const hiding = (await ask(other, "hide", { mode: "review" })).requestId;
    const erasing = (await ask(main, "erase")).requestId;
    const { stdout } = await run(["list"]);
    expect(stdout.trimEnd().split("\n").slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^ +${erasing} +erase +review +.+ ${id} `)),
      expect.stringMatching(new RegExp(`^ +${hiding} +hide +review +.+ ${bobId} `)),
    ]);
    expect((await run(["list", "--limit", "1"])).stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(await check()).toBe("warning");
    expect(JSON.parse((await run(["show", `${erasing}`, "--json"])).stdout)).toMatchObject({
      ...{ wish: "erase", state: "review", address: main.address, changes: [id, bobId], others: [bobId] },
    });
    const shown = (await run(["show", `${erasing}`])).stdout;
    for (const text of [main.address, `passports ${id}, ${bobId}`, `passport ${bobId}`]) expect(shown).toContain(text);

    expect(await run(["approve", `${hiding}`])).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(await isHidden(bobId)).toBe(false);
    const approved = await run(["approve", `${hiding}`, "--yes", "--json"]);
    expect(JSON.parse(approved.stdout)).toMatchObject({ state: "done" });
    expect(await isHidden(bobId)).toBe(true);
    expect(await run(["approve", `${hiding}`, "--yes"])).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining("closed") },
    });

    // Without OPT_OUT_KEY it could be approved, and never carried out.
    expect(await run(["approve", `${erasing}`, "--yes"])).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining("OPT_OUT_KEY") },
    });
    expect(await run(["approve", `${erasing}`, "--yes"], { OPT_OUT_KEY })).toMatchObject({
      ...{ code: 0, stdout: `Request ${erasing}: waiting.\n` },
    });
    expect(await isHidden(id)).toBe(true);
    // What it shows before it asks.
    expect(await run(["refuse", `${erasing}`, "--reason", "Shared.", "--yes"])).toMatchObject({
      ...{ code: 0, stdout: `Request ${erasing}: refused.\n`, stderr: expect.stringContaining(main.address) },
    });
    expect(await isHidden(id)).toBe(false);
  });

  test("nothing is approved before a worker has verified it; an unknown number", async () => {
    const { main, send } = await prepare();
    await send(main, "hide");
    const [{ request_id = 0 } = {}] = JSON.parse((await run(["list", "--json"])).stdout) as { request_id?: number }[];
    for (const verb of [["approve"], ["refuse", "--reason", "No."]])
      expect(await run([...verb, `${request_id}`, "--yes"])).toMatchObject({ code: 1, stdout: "" });
    expect(await run(["show", "99"])).toMatchObject({ code: 1, stderr: expect.stringContaining("no request 99") });
    await database.query(
      "update holder_request set received_at = now() - interval '5 minutes' where state = 'received'",
    );
    expect(await check()).toBe("warning");
    await database.query("delete from holder_request");
  });

  test("what failed is shown with its reason, and doctor warns of an erasure that is overdue", async () => {
    const { main, ask } = await prepare();
    const { requestId } = await ask(main, "erase");
    expect(await check()).toBe("ok");
    await endGrace();
    await database.query(
      "update holder_request set due_at = now() - interval '6 minutes', attempts = 2, last_error = 'the disk is full'",
    );
    expect(await check()).toBe("warning");
    expect((await run(["show", `${requestId}`])).stdout).toContain("the disk is full");
  });
});
