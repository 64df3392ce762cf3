import { describe, expect, test } from "vitest";
import { queryValue } from "#core/database/database.ts";
import { listLostErasures } from "#decisions/ledger.ts";
import { uniteDecisions } from "#decisions/unite.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { erase, hide, show } from "#testing/decide.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { GRACE_SECONDS, HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { evmWallet } from "#testing/wallets.ts";
import { approveRequest, refuseRequest, showRequest } from "./operator-decisions.ts";
import { nothingProcessed, processRequests } from "./process-requests.ts";
import { findRequest, tidyRequests } from "./requests.ts";
import { NOTES } from "./rules.ts";

const HOUR_MS = 3_600_000;

describe("requests of holders", async () => {
  const { database } = await testDatabase();
  const { requests, prepare, work, stateOf, numberOf, endGrace, endPause } = holderTests(database);
  const approve = (requestId: number, seen: number[]) => approveRequest(database, requestId, seen, HOLDERS_ON);
  const refuse = (requestId: number) => refuseRequest(database, requestId, "Because.");

  describe("hide and show", () => {
    test("each wallet hides and shows", async () => {
      const { main, further, sol, id, ask, isHidden, listActions } = await prepare();
      for (const wallet of [main, further, sol]) {
        expect(await ask(wallet, "hide")).toMatchObject({ state: "done", note: null, passportIds: [id] });
        expect(await isHidden()).toBe(true);
        expect(await ask(wallet, "show")).toMatchObject({ state: "done" });
        expect(await isHidden()).toBe(false);
      }
      expect(new Set(await listActions())).toEqual(new Set(["hide holder", "show holder"]));
    });

    test("a hide of the operator stays, and ends the holder's own", async () => {
      const { id, main, further, ask, isHidden } = await prepare();
      await ask(main, "hide");
      await hide(database, [id]);
      expect(await ask(further, "show")).toMatchObject({ state: "refused", note: NOTES.hiddenByOperator });
      expect(await ask(main, "show")).toMatchObject({ state: "refused" });
      expect(await isHidden()).toBe(true);
      await show(database, [id]);
      expect(await isHidden()).toBe(false);
    });

    test("of two records with the main wallet, what the operator hid stays hidden, and the holder is told", async () => {
      const { id, bobId, main, ask, isHidden } = await prepare(({ bob }, wallet) => (bob.main_wallet = wallet));
      expect(await ask(main, "hide")).toMatchObject({ passportIds: [id, bobId] });
      await hide(database, [bobId]);
      expect(await ask(main, "show")).toMatchObject({ state: "done", note: NOTES.partly });
      expect([await isHidden(), await isHidden(bobId)]).toEqual([false, true]);
    });

    test("a wallet that is a main wallet is about that record only", async () => {
      const { id, bobId, main, ask, isHidden } = await prepare(({ bob }, wallet) => bob.verified_wallets.push(wallet));
      expect(await ask(main, "hide")).toMatchObject({ state: "done", passportIds: [id] });
      expect(await isHidden(bobId)).toBe(false);
    });

    test("several records that only list the wallet: the operator decides, about the records that it saw", async () => {
      const { id, bobId, bob, further, ask, isHidden, listActions } = await prepare(({ ada, bob }) => {
        bob.verified_wallets = ada.verified_wallets;
      });
      const { requestId, state, note } = await ask(further, "hide");
      expect([state, note]).toEqual(["review", NOTES.ambiguous]);
      expect((await showRequest(database, requestId, HOLDERS_ON))?.changes).toEqual([id, bobId]);
      expect((await approve(requestId, [id])).refusal).toContain("Another record");
      expect(await isHidden()).toBe(false);
      expect(await approve(requestId, [id, bobId])).toMatchObject({ refusal: null, request: { state: "done" } });
      expect([await isHidden(), await isHidden(bobId)]).toEqual([true, true]);
      expect(await listActions()).toEqual(["review worker", "approve operator", "hide holder"]);
      // A merged record is answered with another one.
      await savePeople(database, [{ ...bob, passport: { ...bob.passport, merged: true } }]);
      expect(await ask(further, "show")).toMatchObject({ state: "done", passportIds: [id] });
    });

    test("no record has the wallet", async () => {
      const { ask } = await prepare();
      for (const wish of ["hide", "show", "erase"] as const)
        expect(await ask(evmWallet("a stranger"), wish)).toMatchObject({
          ...{ state: "refused", note: NOTES.unlisted, passportIds: [] },
        });
    });
  });

  describe("erase", () => {
    test("hides at once, deletes after the grace period, and keeps the proof", async () => {
      const { bobId, main, ask, isHidden, listActions } = await prepare();
      const { code, requestId, state, dueAt } = await ask(main, "erase");
      expect([state, await isHidden()]).toEqual(["waiting", true]);
      expect(Math.abs(Date.now() + GRACE_SECONDS * 1_000 - (dueAt?.getTime() ?? 0))).toBeLessThan(HOUR_MS);
      expect(await work()).toEqual(nothingProcessed());
      await endGrace();
      expect(await work()).toMatchObject({ advanced: 1 });
      expect([await stateOf(code), await isHidden(), await isHidden(bobId)]).toEqual(["done", null, false]);
      expect(await findRequest(database, requestId)).toMatchObject({ address: main.address });
      expect(await listActions()).toEqual(["erase holder", "erased worker"]);
    });

    test("only the main wallet erases; another one neither shows nor cancels", async () => {
      const { main, further, ask, isHidden } = await prepare();
      expect(await ask(further, "erase")).toMatchObject({ state: "refused", note: NOTES.main });
      const { code } = await ask(main, "erase");
      expect(await ask(further, "show")).toMatchObject({ state: "refused", note: NOTES.erasing });
      expect(await ask(further, "hide")).toMatchObject({ state: "done" });
      expect(await stateOf(code)).toBe("waiting");
      expect(await ask(main, "show")).toMatchObject({ state: "done" });
      expect([await stateOf(code), await isHidden()]).toEqual(["refused", false]);
    });

    test("a new erasure begins a new grace period", async () => {
      const { main, ask, isHidden } = await prepare();
      const first = await ask(main, "erase");
      await endGrace();
      const second = await ask(main, "erase");
      await work();
      expect([await stateOf(first.code), await stateOf(second.code), await isHidden()]).toEqual([
        ...["refused", "waiting", true],
      ]);
    });

    test("all records with the main wallet, but those that a decision has shown meanwhile", async () => {
      const { id, bobId, main, ask, isHidden } = await prepare(({ bob }, wallet) => (bob.main_wallet = wallet));
      const { code, passportIds } = await ask(main, "erase");
      expect(passportIds).toEqual([id, bobId]);
      await show(database, [bobId]);
      await endGrace();
      await work();
      // The erasure would take its main wallet from the other one.
      expect(await stateOf(code)).toBe("review");
      expect([await isHidden(), await isHidden(bobId)]).toEqual([true, false]);
      const requestId = await numberOf(code);
      expect(await showRequest(database, requestId, HOLDERS_ON)).toMatchObject({
        ...{ changes: [id, bobId], others: [bobId] },
      });
      await approve(requestId, [id, bobId]);
      await work();
      expect([await stateOf(code), await isHidden(), await isHidden(bobId)]).toEqual(["done", null, false]);
    });

    test("a record of somebody else lists a wallet: the operator decides, and it loses the wallet only", async () => {
      const { id, bobId, main, ask, isHidden, listActions } = await prepare(({ ada, bob }) => {
        bob.verified_wallets = [ada.verified_wallets[0] ?? ""];
        bob.merged = true;
      });
      const { code, requestId, note } = await ask(main, "erase");
      expect([await stateOf(code), note, await isHidden()]).toEqual(["review", NOTES.others, false]);
      expect((await approve(requestId, [id])).refusal).toContain("Another record");
      await approve(requestId, [id, bobId]);
      expect([await stateOf(code), await isHidden()]).toEqual(["waiting", true]);
      await endGrace();
      await work();
      expect([await stateOf(code), await isHidden(), await isHidden(bobId)]).toEqual(["done", null, false]);
      expect(await listActions(bobId)).toEqual([]);
    });

    test.each(["approve", "refuse"] as const)(
      "wallets that change before the time comes: the operator decides: %s",
      async (verb) => {
        const { id, bobId, bob, ada, main, ask, isHidden } = await prepare();
        const { code, requestId } = await ask(main, "erase");
        await savePeople(database, [{ ...bob, passport: { ...bob.passport, verified_wallets: [main.address] } }]);
        const changed = { ...ada.passport, main_wallet: null, verified_wallets: [main.address] };
        await savePeople(database, [{ ...ada, passport: changed }]);
        await endGrace();
        await work();
        expect([await stateOf(code), await isHidden()]).toEqual(["review", true]);
        await (verb === "approve" ? approve(requestId, [id, bobId]) : refuse(requestId));
        await work();
        expect([await stateOf(code), await isHidden()]).toEqual(
          verb === "approve" ? ["done", null] : ["refused", false],
        );
        expect(await isHidden(bobId)).toBe(false);
      },
    );

    test("the operator refuses it while it waits, and the record is shown", async () => {
      const { main, ask, isHidden, listActions } = await prepare();
      const { code, requestId } = await ask(main, "erase");
      await refuse(requestId);
      expect(await requests.stateOf(code)).toMatchObject({ state: "refused", note: "Because." });
      expect(await isHidden()).toBe(false);
      expect(await listActions()).toEqual(["erase holder", "refuse operator"]);
      expect((await refuse(requestId)).request).toBeNull();
    });

    test("waits without the keys of earlier erasures, also after an approval", async () => {
      const { main, ask, isHidden } = await prepare();
      const { code } = await ask(main, "erase");
      await endGrace();
      await work({ optOutKeys: ["another key that nobody could ever guess"] });
      expect([await stateOf(code), await isHidden()]).toEqual(["waiting", true]);
      const without = await prepare();
      expect(await without.ask(without.main, "erase", { optOutKey: null })).toMatchObject({ state: "review" });
    });

    test("is not carried out while its holder may have cancelled it, for 7 days", async () => {
      const { main, ask, send, isHidden } = await prepare();
      const { code } = await ask(main, "erase");
      await endGrace();
      const cancel = await send(main, "show");
      await work({ domain: "other.example" });
      await work({ keys: [] });
      expect([await stateOf(code), await stateOf(cancel)]).toEqual(["waiting", "received"]);
      await database.query(
        "update holder_request set received_at = now() - interval '8 days' where state = 'received'",
      );
      await tidyRequests(database);
      expect(await requests.stateOf(cancel)).toMatchObject({ state: "refused", note: NOTES.expired });
      await work();
      expect(await isHidden()).toBeNull();
    });

    test("erased by the operator meanwhile: the proof goes, the state stays", async () => {
      const { id, main, ask } = await prepare();
      const hidden = await ask(main, "hide");
      const { code, requestId } = await ask(main, "erase");
      await erase(database, [id]);
      expect([await stateOf(hidden.code), await stateOf(code)]).toEqual(["done", "refused"]);
      expect(await findRequest(database, requestId)).toMatchObject({ address: null, message: null, signature: null });
      await endGrace();
      expect(await work()).toEqual(nothingProcessed());
    });
  });

  test("a later request ends an earlier one that is not decided", async () => {
    const { main, sol, ask, isHidden } = await prepare();
    const reviewed = { mode: "review" } as const;
    const [first, ofOther] = [await ask(main, "erase", reviewed), await ask(sol, "hide", reviewed)];
    const second = await ask(main, "hide", reviewed);
    expect(await requests.stateOf(first.code)).toMatchObject({ state: "refused", note: NOTES.later });
    expect([await stateOf(second.code), await stateOf(ofOther.code), await isHidden()]).toEqual([
      ...["review", "review", false],
    ]);
    expect((await approve(first.requestId, [])).request).toBeNull();
  });

  describe("the more careful of the signed text and the worker's settings counts", () => {
    test.each([
      ["text", "on", true],
      ["worker", "review", false],
    ] as const)("review: the %s", async (_, mode, isReviewed) => {
      const { main, ask } = await prepare();
      expect(await ask(main, "hide", { mode }, { isReviewed })).toMatchObject({ state: "review", note: NOTES.review });
    });

    test.each([
      ["text", 60, 240 * HOUR_MS],
      ["worker", 240 * 3_600, 1_000],
    ] as const)("grace: the %s", async (_, graceSeconds, graceMs) => {
      const { main, ask } = await prepare();
      const { dueAt } = await ask(main, "erase", { graceMs }, { graceSeconds });
      expect(Math.abs((dueAt?.getTime() ?? 0) - Date.now() - 240 * HOUR_MS)).toBeLessThan(HOUR_MS);
    });
  });

  describe("proofs", () => {
    test("forged requests are deleted", async () => {
      const { main, other, isHidden } = await prepare();
      const valid = () => signRequest(main, "hide");
      const mail = "Sign in to example.com with this wallet.";
      const forgeries = [
        { ...valid(), signature: other.sign(valid().message) },
        { ...valid(), wish: "erase" as const },
        { ...signRequest(other, "hide"), address: main.address },
        { ...valid(), nonce: "0".repeat(48) },
        { ...valid(), message: mail, signature: main.sign(mail) },
      ];
      for (const forged of forgeries) {
        await requests.enqueue(forged);
        expect(await work()).toEqual({ ...nothingProcessed(), forged: 1 });
        expect([await stateOf(forged.code), await isHidden()]).toEqual([null, false]);
      }
    });

    test("signed for another server or key: tried again later", async () => {
      const { main, send, isHidden } = await prepare();
      const codes = [
        await send(main, "hide", { key: "another key" }),
        await send(main, "hide", { publicUrl: "https://other.example" }),
      ];
      expect(await work()).toEqual({ ...nothingProcessed(), failed: 2 });
      expect(await work()).toEqual(nothingProcessed());
      await endPause();
      expect(await work({ keys: ["new", "another key"] })).toMatchObject({ advanced: 1, failed: 1 });
      expect([await stateOf(codes[0] as string), await isHidden()]).toEqual(["done", true]);
    });

    test.each([-1, 1])("a clock that is %i hours wrong", async (hours) => {
      const { main, ask } = await prepare();
      const now = new Date(Date.now() + hours * HOUR_MS);
      expect(await ask(main, "hide", {}, { now })).toMatchObject({ state: "refused", note: NOTES.clock });
    });
  });

  test("two workers at once do each step once", async () => {
    const { main, further, send, listActions } = await prepare();
    await send(further, "hide");
    await send(main, "erase");
    const done = await Promise.all([work(), work(), work()]);
    expect(done.reduce((sum, { advanced }) => sum + advanced, 0)).toBe(2);
    await endGrace();
    await Promise.all([work(), work()]);
    expect(await listActions()).toEqual(["hide holder", "erase holder", "erased worker"]);
  });

  test("a failure is reported, tried again later, and delays no other request", async () => {
    const { id, main, other, send, isHidden } = await prepare();
    await database.query(`create function fail () returns trigger language plpgsql as
      $$ begin raise exception 'the disk is full'; end $$`);
    await database.query(`create trigger fail before insert on decision for each row when (new.passport_id = ${id})
      execute function fail ()`);
    const [code, ofBob] = [await send(main, "hide"), await send(other, "hide")];
    const failures: unknown[] = [];
    const attempt = () => processRequests(database, HOLDERS_ON, (error) => failures.push(error));
    expect(await attempt()).toMatchObject({ advanced: 1, failed: 1 });
    expect([await stateOf(code), await stateOf(ofBob), failures.length]).toEqual(["received", "done", 1]);
    expect(await findRequest(database, await numberOf(code))).toMatchObject({
      ...{ attempts: 1, last_error: "the disk is full" },
    });
    await database.query("drop trigger fail on decision");
    expect(await attempt()).toEqual(nothingProcessed());
    await endPause();
    expect(await attempt()).toMatchObject({ advanced: 1 });
    expect(await isHidden()).toBe(true);
  });

  test("after a restore, erasures have the whole grace again, and only hides are not asked for again", async () => {
    const { main, further, other, ask, send } = await prepare();
    const { code } = await ask(main, "erase");
    await endGrace();
    const [showing, hiding] = [await send(further, "show"), await send(other, "hide")];
    // A worker has found that the database lacks decisions of its file.
    await database.query(
      "insert into worker_process (verifies, erases, requests_waiting, erasures_overdue, is_older_than_file) values (true, true, 0, 0, true)",
    );
    expect(await work()).toEqual(nothingProcessed());
    await uniteDecisions(
      database,
      { decisions: [], isOurs: true, mac: "a".repeat(64), key: null },
      { keys: [OPT_OUT_KEY], restoreGraceMs: HOUR_MS, dryRun: false, onProgress: () => {} },
    );
    await database.query("delete from worker_process");
    await work();
    expect(await Promise.all([code, showing, hiding].map(stateOf))).toEqual(["waiting", "refused", "done"]);
    const { dueAt } = (await requests.stateOf(code)) ?? {};
    expect(dueAt?.getTime()).toBeGreaterThan(Date.now() + HOUR_MS / 2);
    await endGrace();
    await work();
    expect(await listLostErasures(database)).toEqual([]);
  });

  test("closed requests are kept for 90 days, ten of a wallet, and those about no record for a day", async () => {
    const { main, sol, other, ask } = await prepare();
    const unlisted = await ask(evmWallet("unlisted"), "hide");
    const [old, erased] = [await ask(sol, "hide"), await ask(other, "hide")];
    const many: string[] = [];
    for (let index = 0; index < 11; index += 1) many.push((await ask(main, "hide")).code);
    // An erasure has removed their wallets: they count for nobody.
    await database.query(
      `insert into holder_request (code_hash, wish, state, passport_ids, completed_at)
       select sha256(('old ' || n)::bytea), 'hide', 'done', '{1}', now() from generate_series(1, 20) as n`,
    );
    const age = (days: number, code: string) =>
      database.query(
        "update holder_request set completed_at = now() - $1 * interval '1 day' where code_hash = sha256($2)",
        [days, Buffer.from(code)],
      );
    await tidyRequests(database);
    expect(await stateOf(many[0] as string)).toBe("done");
    await database.query(
      "update holder_request set completed_at = now() - interval '25 hours' where completed_at is not null",
    );
    await age(91, old.code);
    await age(89, erased.code);
    await tidyRequests(database);
    expect(await Promise.all([unlisted.code, old.code, erased.code].map(stateOf))).toEqual([null, null, "done"]);
    expect(await Promise.all([many[0], many[1]].map((code) => stateOf(code as string)))).toEqual([null, "done"]);
    expect(
      await queryValue(database, "select count(*)::int from holder_request where address is null"),
    ).toBeGreaterThan(19);
  });

  test("three requests of a wallet wait, and a thousand in all", async () => {
    const { main, send } = await prepare();
    for (let index = 0; index < 3; index += 1) await send(main, "hide");
    await expect(send(main, "hide")).rejects.toThrow("Too many");
    await work();
    await database.query(
      `insert into holder_request (code_hash, wish, address, message, signature, nonce)
       select sha256(('full ' || n)::bytea), 'hide', 'wallet ' || n, 'a', 'a', 'full ' || n from generate_series(1, 1000) as n`,
    );
    await expect(send(main, "hide")).rejects.toThrow("Too many");
    let forged = 0;
    while (forged < 1_000) forged += (await work()).forged;
    await send(main, "hide");
    expect(await work()).toMatchObject({ advanced: 1 });
  });
});
