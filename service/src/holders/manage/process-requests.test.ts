import { describe, expect, test } from "vitest";
import { queryValue } from "#core/database/database.ts";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { testDatabase } from "#testing/database.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { HOLDERS_ON } from "#testing/holders.ts";
import { importLines } from "#testing/import-lines.ts";
import { findPassportByWallet } from "#testing/look-up.ts";
import { serving } from "#testing/serving.ts";
import { deleteOldRequests } from "./delete-old-requests.ts";
import { approveRequest, refuseRequest } from "./operator-decisions.ts";
import { nothingProcessed } from "./process-requests.ts";

const owned = await testDatabase();
const { database } = owned;
const { requests, prepare, endGrace } = holderTests(database);

describe("hide and unhide", () => {
  test.each(["main", "further", "sol"] as const)("with the wallet `%s`, at once; unhide reverts it", async (wallet) => {
    const holder = await prepare();
    expect(await holder.ask(holder[wallet], "hide")).toMatchObject({ state: "done", secret: null });
    expect(await holder.isHidden()).toBe(true);
    expect(await holder.ask(holder.further, "unhide")).toMatchObject({ state: "done" });
    expect(await holder.isHidden()).toBe(false);
    const entries = await holder.listActions();
    expect(entries.map(({ action }) => action)).toEqual(["request", "hide", "request", "unhide"]);
    expect(new Set(entries.map(({ request_id }) => request_id)).size).toBe(2);
  });

  test("never reverts a hide by the operator, also one that replaced the holder's", async () => {
    const { id, main, ask, isHidden } = await prepare();
    await changePerson(database, { action: "hide", passportId: id });
    expect(await ask(main, "unhide")).toMatchObject({
      state: "refused",
      note: expect.stringContaining("operator hid"),
    });
    // A hide by signature of a hidden person changes nothing.
    expect(await ask(main, "hide")).toMatchObject({ state: "done" });
    expect(await ask(main, "unhide")).toMatchObject({ state: "refused" });
    await changePerson(database, { action: "unhide", passportId: id });
    expect(await ask(main, "hide")).toMatchObject({ state: "done" });
    await changePerson(database, { action: "hide", passportId: id });
    expect(await ask(main, "unhide")).toMatchObject({ state: "refused" });
    expect(await isHidden()).toBe(true);
  });

  test("an import does not end it, and does not turn it into a hide by the operator", async () => {
    const { ada, main, ask, isHidden } = await prepare();
    await ask(main, "hide");
    await importLines(database, [{ ...ada, passport: { ...ada.passport, score: 99 } }]);
    expect(await isHidden()).toBe(true);
    expect(await ask(main, "unhide")).toMatchObject({ state: "done" });
    expect(await isHidden()).toBe(false);
  });

  test("a hidden person is gone from look-ups, standing and search", async () => {
    const { id, ada, main, sol, ask } = await prepare();
    const { address } = await serving([], { into: owned });
    const load = async (path: string) => (await fetch(`${address}/api/v1/${path}`)).json();
    const search = `passports?keyword=${ada.passport.passport_profile.display_name}`;
    const paths = [`passports/${id}`, `passports/${main.address}`, `passports/${sol.address}`];
    for (const path of paths) expect(await load(path)).toHaveProperty("passport");
    expect(await load(search)).toMatchObject({ pagination: { total: 1 } });
    await ask(sol, "hide");
    // The node is notified of the change.
    for (const path of paths) await expect.poll(() => load(path)).not.toHaveProperty("passport");
    expect(await load(`passport_credentials?passport_id=${id}`)).toEqual({ passport_credentials: [] });
    expect(await load(search)).toMatchObject({ passports: [] });
    const epoch = await queryValue(database, "select max(epoch) from standing_epoch");
    expect((await database.query(`select from standing_${epoch} where passport_id = $1`, [id])).rowCount).toBe(0);
  });
});

describe("erase", () => {
  test("hides at once, erases after the grace period, and imports skip the person", async () => {
    const { id, ada, main, ask, work, isHidden, listActions, countRequests } = await prepare();
    const { code, state, dueAt } = await ask(main, "erase");
    expect(state).toBe("waiting");
    expect(Number(dueAt) - Date.now()).toBeGreaterThan(71 * 3_600_000);
    expect(await isHidden()).toBe(true);
    expect(await work()).toEqual(nothingProcessed());
    await endGrace();
    expect(await work()).toEqual({ ...nothingProcessed(), advanced: 1 });
    expect(await requests.stateOf(code)).toMatchObject({ state: "done" });
    expect(await isHidden()).toBeNull();
    // With the same wallets, another id does not help.
    const again = { ...ada, passport: { ...ada.passport, passport_id: id + 5 } };
    expect(await importLines(database, [ada, again])).toMatchObject({ added: 0, opted_out: 2 });
    expect((await listActions()).map(({ action }) => action)).toEqual(["request", "hide", "erase"]);
    // Only the signed request still has a wallet of the person. It is deleted after 90 days.
    await deleteOldRequests(database);
    expect(await countRequests()).toBe(1);
    await database.query("update holder_request set completed_at = now() - interval '91 days' where passport_id = $1", [
      id,
    ]);
    await deleteOldRequests(database);
    expect(await countRequests()).toBe(0);
  });

  test("withdrawing restores the previous visibility", async () => {
    const { id, main, ask, work, isHidden } = await prepare();
    const first = await ask(main, "erase");
    expect(await requests.withdraw(first.code)).toMatchObject({ state: "withdrawn" });
    expect(await isHidden()).toBe(true);
    await work();
    expect(await isHidden()).toBe(false);
    await ask(main, "hide");
    const second = await ask(main, "erase");
    await requests.withdraw(second.code);
    await endGrace();
    await work();
    // It was hidden before, by the holder, who can still undo it.
    expect(await isHidden()).toBe(true);
    expect(await ask(main, "unhide")).toMatchObject({ state: "done" });
    // The operator hides the record during the grace period: it stays hidden.
    const third = await ask(main, "erase");
    await changePerson(database, { action: "hide", passportId: id });
    await requests.withdraw(third.code.toUpperCase());
    await work();
    expect(await isHidden()).toBe(true);
    expect(await requests.stateOf(third.code)).toMatchObject({ state: "withdrawn", completedAt: expect.any(Date) });
    expect(await requests.withdraw("no code")).toBeNull();
  });

  test("a request that was carried out cannot be withdrawn", async () => {
    const { main, ask, work, isHidden } = await prepare();
    const { code } = await ask(main, "hide");
    expect(await requests.withdraw(code)).toMatchObject({ state: "done" });
    await work();
    expect(await isHidden()).toBe(true);
  });

  test("goes to review and stays hidden when an import changes the main wallet; the operator decides", async () => {
    const { ada, main, further, ask, work, isHidden, findOpen } = await prepare();
    expect(await ask(main, "erase")).toMatchObject({ state: "waiting" });
    const changed = { ...ada, passport: { ...ada.passport, main_wallet: further.address } };
    await importLines(database, [changed]);
    await endGrace();
    await work();
    const requestId = await findOpen();
    const stateOf = async () =>
      (await database.query("select state, note from holder_request where request_id = $1", [requestId])).rows[0];
    expect(await stateOf()).toMatchObject({ state: "review", note: expect.stringContaining("stays hidden") });
    expect(await isHidden()).toBe(true);
    // Nothing but the operator's decision ends it.
    await importLines(database, [{ ...changed, operator: { hidden: false } }]);
    expect(await isHidden()).toBe(true);
    expect((await approveRequest(database, requestId, [], HOLDERS_ON)).request?.state).toBe("waiting");
    await endGrace();
    await work();
    expect(await stateOf()).toMatchObject({ state: "done" });
    expect(await isHidden()).toBeNull();
    expect(await importLines(database, [changed])).toMatchObject({ opted_out: 1 });
  });

  test("that was accepted is carried out by a worker with another mode", async () => {
    const { main, ask, work, isHidden } = await prepare();
    expect(await ask(main, "erase")).toMatchObject({ state: "waiting" });
    await endGrace();
    await work({ mode: "review" });
    expect(await isHidden()).toBeNull();
  });

  test("needs the main wallet, as seeing everything does", async () => {
    const { further, ask, isHidden } = await prepare();
    for (const action of ["erase", "see"] as const) {
      const { state, note } = await ask(further, action);
      expect({ state, note }).toEqual({ state: "refused", note: expect.stringContaining("main wallet") });
    }
    expect(await isHidden()).toBe(false);
  });

  test("waits for the operator if another record became involved in the grace period", async () => {
    const { bobId, bob, main, further, other, ask, work, isHidden, findOpen } = await prepare();
    const { code } = await ask(main, "erase");
    await savePeople(database, [{ ...bob, passport: { ...bob.passport, verified_wallets: [further.address] } }]);
    await endGrace();
    await work();
    expect(await requests.stateOf(code)).toMatchObject({
      state: "review",
      note: expect.stringContaining("another record"),
    });
    expect(await isHidden()).toBe(true);
    const requestId = await findOpen();
    // The operator has not seen that Bob is involved.
    expect((await approveRequest(database, requestId, [], HOLDERS_ON)).request?.state).toBe("review");
    expect((await approveRequest(database, requestId, [bobId], HOLDERS_ON)).request?.state).toBe("waiting");
    await work();
    expect(await isHidden()).toBeNull();
    const { rows } = await database.query("select address from passport_wallet where passport_id = $1", [bobId]);
    expect(rows).toEqual([{ address: other.address }]);
  });

  test("waits for the operator without OPT_OUT_KEY", async () => {
    const { main, ask, isHidden } = await prepare();
    expect(await ask(main, "erase", { optOutKey: null })).toMatchObject({ state: "review" });
    expect(await isHidden()).toBe(false);
  });
});

describe("see", () => {
  test("prepares everything for 24 hours, for the code with the secret", async () => {
    const { ada, main, ask } = await prepare();
    const { state, code, secret, availableUntil } = await ask(main, "see");
    expect(state).toBe("done");
    expect(Number(availableUntil) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(JSON.parse((await requests.fetch(code, ` ${secret}\n`)) as string)).toEqual(ada);
    const another = await ask(main, "hide");
    const wrong: [string, string | null][] = [
      [code, "wrong"],
      [code, ""],
      [another.code, secret],
      ["", secret],
    ];
    for (const [code, secret] of wrong) expect(await requests.fetch(code, secret as string)).toBeNull();
    // Neither code nor secret is stored.
    const stored = await queryValue<string>(
      database,
      "select string_agg(request::text, '') from holder_request as request",
    );
    for (const text of [code.replaceAll("-", ""), secret as string]) {
      expect(stored).not.toContain(text);
      expect(stored).not.toContain(Buffer.from(text).toString("hex"));
    }
    await database.query("update holder_export set expires_at = now()");
    expect(await requests.fetch(code, secret as string)).toBeNull();
    await deleteOldRequests(database);
    expect((await database.query("select from holder_export")).rowCount).toBe(0);
  });
});

describe("the operator", () => {
  test("decides on every request with `review`", async () => {
    const { main, ask, send, work, isHidden, findOpen } = await prepare();
    const settings = { ...HOLDERS_ON, mode: "review" } as const;
    const { code, state } = await ask(main, "hide", settings);
    expect(state).toBe("review");
    expect(await isHidden()).toBe(false);
    const first = await findOpen();
    expect((await approveRequest(database, first, [], settings)).request).toMatchObject({ state: "done" });
    expect(await requests.stateOf(code)).toMatchObject({ state: "done" });
    expect(await isHidden()).toBe(true);
    expect(await approveRequest(database, first, [], settings)).toEqual({ request: null, refusal: null });
    await ask(main, "unhide", settings);
    const { request } = await refuseRequest(database, await findOpen(), "No.");
    expect(request).toMatchObject({ state: "refused", note: "No." });
    expect(await isHidden()).toBe(true);
    const last = await send(main, "unhide");
    expect((await approveRequest(database, await findOpen(), [], settings)).refusal).toContain("credence work");
    await work({ mode: "off" });
    expect(await requests.stateOf(last.code)).toMatchObject({ state: "received" });
    await work();
    expect(await requests.stateOf(last.code)).toMatchObject({ state: "done" });
  });

  test("can refuse an erasure in its grace period, which shows the record again", async () => {
    const { main, ask, isHidden, findOpen } = await prepare();
    await ask(main, "erase");
    expect(await isHidden()).toBe(true);
    await refuseRequest(database, await findOpen(), "Court order.");
    expect(await isHidden()).toBe(false);
  });

  test("decides if another person lists the wallet", async () => {
    const { id, main, ask, isHidden } = await prepare(({ ada, bob }) => {
      bob.verified_wallets = [ada.main_wallet as string];
    });
    for (const action of ["hide", "erase", "see"] as const) {
      expect(await ask(main, action)).toMatchObject({
        state: "review",
        note: expect.stringContaining("another record"),
      });
      await database.query("delete from holder_request where passport_id = $1", [id]);
    }
    expect(await isHidden()).toBe(false);
  });

  test("hides a merged record alone: its wallet goes on to lead to the other record that lists it", async () => {
    const { bobId, main, ask, isHidden, findOpen } = await prepare(({ ada, bob }) => {
      ada.merged = true;
      bob.verified_wallets = [ada.main_wallet as string];
    });
    const leadsTo = async () => (await findPassportByWallet(database, main.address))?.passportId ?? null;
    expect(await leadsTo()).toBe(bobId);
    expect(await ask(main, "hide")).toMatchObject({ state: "review" });
    expect((await approveRequest(database, await findOpen(), [bobId], HOLDERS_ON)).refusal).toBeNull();
    expect([await isHidden(), await leadsTo()]).toEqual([true, bobId]);
  });
});
