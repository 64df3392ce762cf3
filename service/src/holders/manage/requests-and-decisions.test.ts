import { createHash, randomUUID } from "node:crypto";
import type { Decision } from "@credence/contract/decision.ts";
import { describe, expect, test } from "vitest";
import { queryValue } from "#core/database/database.ts";
import { findState, listLostErasures } from "#decisions/ledger.ts";
import { uniteDecisions } from "#decisions/unite.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { decideNow, hide } from "#testing/decide.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { HOLDERS_ON } from "#testing/holders.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { approveRequest, refuseRequest } from "./operator-decisions.ts";
import { nothingProcessed } from "./process-requests.ts";

// What requests of holders do to the ledger, and the ledger to them.

const { database } = await testDatabase();
const { prepare, work, stateOf, endGrace } = holderTests(database);

const HOUR_MS = 3_600_000;
const REVIEW = { mode: "review" } as const;

/** The accepted erasure of a person. */
async function findErasure(id: number) {
  const { rows } = await database.query<{ decision_id: string; request: string; due_at: Date }>(
    "select decision_id, request, due_at from decision_in_force where passport_id = $1 and action = 'erase'",
    [id],
  );
  expect(rows).toHaveLength(1);
  return rows[0] as (typeof rows)[number];
}

/** Adds a file of decisions about a person. */
const unite = (
  passport_id: number,
  decisions: readonly Partial<Decision>[],
  { isOurs = true, restoreGraceMs = null }: { isOurs?: boolean; restoreGraceMs?: number | null } = {},
) =>
  uniteDecisions(
    database,
    {
      ...{ isOurs, key: null, mac: createHash("sha256").update(randomUUID()).digest("hex") },
      decisions: decisions.map((decision) => ({
        ...{ decision_id: randomUUID(), decided_at: new Date().toISOString(), by_role: "elsewhere", passport_id },
        ...{ action: "refuse", decided_by: "holder", ...decision },
      })),
    },
    { keys: [OPT_OUT_KEY], restoreGraceMs, dryRun: false, onProgress: () => {} },
  );

const foreign = { isOurs: false };
const due = () => ({ due_at: new Date().toISOString() });
const nameOf = (requestId: number) =>
  queryValue<string>(database, "select request from holder_request where request_id = $1", [requestId]);

/** The backup was made before the request: only the file of decisions knows of it. */
async function loseErasure(id: number): Promise<void> {
  await database.query("delete from holder_request where request = $1", [(await findErasure(id)).request]);
  expect(await listLostErasures(database)).toContain(id);
}

describe("a request to show", () => {
  test("ends the hides of holders and an erasure, and never a hide by the operator", async () => {
    const { id, main, further, ask, isHidden } = await prepare();
    await ask(further, "hide");
    const erasure = await ask(main, "erase");
    await hide(database, [id]);
    expect(await ask(main, "show")).toMatchObject({ state: "refused" });
    expect(await stateOf(erasure.code)).toBe("refused");
    expect(await findState(database, id)).toMatchObject({
      ...{ hidden_by_operator: true, hidden_by_holder: false, erasing: false },
    });
    await decideNow(database, { action: "show", by: "operator", passportId: id });
    expect(await isHidden()).toBe(false);
  });

  test.each(["accepted", "lost"])("that is refused, of another wallet, ends no erasure: %s", async (erasure) => {
    const { id, main, further, ask } = await prepare();
    await ask(main, "erase");
    if (erasure === "lost") await loseErasure(id);
    for (const isHidden of [false, true]) {
      if (isHidden) await hide(database, [id]);
      for (const wish of ["show", "erase"] as const)
        expect(await ask(further, wish)).toMatchObject({ state: "refused" });
      expect(await findState(database, id)).toMatchObject({ erasing: true });
    }
  });

  test("does not say that it showed a person whom another authority has erased", async () => {
    const { id, main, ask, isHidden } = await prepare();
    await unite(id, [{ action: "erased", decided_by: "operator" }], foreign);
    expect(await ask(main, "show")).toMatchObject({ state: "refused" });
    expect(await isHidden()).toBe(true);
  });
});

describe("an erasure whose request is lost", () => {
  test("is ended by the main wallet", async () => {
    const { id, main, ask, isHidden } = await prepare();
    await ask(main, "erase");
    await loseErasure(id);
    expect(await ask(main, "show")).toMatchObject({ state: "done" });
    expect(await isHidden()).toBe(false);
    expect(await listLostErasures(database)).not.toContain(id);
  });

  test("is replaced by a new one, which can be ended", async () => {
    const { id, main, ask, isHidden } = await prepare();
    await ask(main, "erase");
    await loseErasure(id);
    expect(await ask(main, "erase")).toMatchObject({ state: "waiting" });
    expect(await listLostErasures(database)).not.toContain(id);
    await ask(main, "show");
    expect(await isHidden()).toBe(false);
  });
});

describe("an erasure that would replace another", () => {
  test("keeps the record hidden while it is in review; if it is approved, the other ends", async () => {
    const { id, main, ask, isHidden } = await prepare();
    const first = await ask(main, "erase");
    const second = await ask(main, "erase", REVIEW);
    expect(second).toMatchObject({ state: "review" });
    expect(await isHidden()).toBe(true);
    const { request } = await approveRequest(database, second.requestId, [id], HOLDERS_ON);
    expect(request).toMatchObject({ state: "waiting" });
    expect([await stateOf(first.code), await isHidden()]).toEqual(["refused", true]);
    const { due_at } = await findErasure(id);
    expect(due_at).toEqual(request?.due_at);
    await refuseRequest(database, second.requestId, "No.");
    expect(await isHidden()).toBe(false);
  });

  test("that is refused leaves a hide of the holder", async () => {
    const { main, further, ask, isHidden } = await prepare();
    await ask(further, "hide");
    const { requestId } = await ask(main, "erase");
    await refuseRequest(database, requestId, "No.");
    expect(await isHidden()).toBe(true);
  });
});

describe("an erasure that is due", () => {
  test("is not carried out if a decision has ended it", async () => {
    const { id, main, ask, isHidden } = await prepare();
    await ask(main, "erase");
    await decideNow(database, { action: "show", by: "operator", passportId: id });
    await endGrace();
    await work();
    expect(await isHidden()).toBe(false);
  });

  test("is not carried out by a decision of another authority", async () => {
    const { id, main, send, isHidden } = await prepare();
    const code = await send(main, "erase");
    const request = await queryValue<string>(
      database,
      "select request from holder_request where code_hash = sha256($1)",
      [Buffer.from(code)],
    );
    await unite(id, [{ action: "erase", request, ...due() }], foreign);
    await database.query(
      "update holder_request set state = 'waiting', due_at = now(), passport_ids = array[$2::bigint] where request = $1",
      [request, id],
    );
    await work();
    // It hides the record, and deletes nothing.
    expect(await isHidden()).toBe(true);
    await database.query("delete from holder_request where request = $1", [request]);
  });
});

test("an erasure that requests to show postpone goes to the operator after 7 days, and stays hidden", async () => {
  const { main, send, isHidden } = await prepare();
  const erasure = await send(main, "erase");
  await work();
  await endGrace();
  // A worker cannot tell what it is about. A stolen serving role may have more of them.
  await send(main, "show", { key: "another key" });
  await work();
  expect(await stateOf(erasure)).toBe("waiting");
  await database.query("update holder_request set due_at = now() - interval '8 days' where state = 'waiting'");
  await work();
  expect([await stateOf(erasure), await isHidden()]).toEqual(["review", true]);
});

describe("a united file", () => {
  test("closes a request whose erasure it ends", async () => {
    const { id, main, ask, isHidden } = await prepare();
    const { code } = await ask(main, "erase");
    const { decision_id, request } = await findErasure(id);
    expect(await unite(id, [{ request, ends: [decision_id] }])).toMatchObject({ shown: [id] });
    expect(await listLostErasures(database)).not.toContain(id);
    await endGrace();
    expect(await work()).toEqual(nothingProcessed());
    expect([await isHidden(), await stateOf(code)]).toEqual([false, "refused"]);
  });

  test("of another authority neither ends an erasure nor closes a request", async () => {
    const { id, main, ask, isHidden } = await prepare();
    const { code } = await ask(main, "erase");
    const { decision_id, request } = await findErasure(id);
    const accepted = { action: "erase", decision_id: randomUUID(), request, ...due() };
    await unite(id, [{ request, ends: [decision_id] }, accepted, { request, ends: [accepted.decision_id] }], foreign);
    expect([await isHidden(), await stateOf(code)]).toEqual([true, "waiting"]);
    // Nor one that the operator decides on.
    const other = await prepare();
    const reviewed = await other.ask(other.main, "erase", REVIEW);
    const its = { action: "erase", decision_id: randomUUID(), request: await nameOf(reviewed.requestId), ...due() };
    await unite(other.id, [its, { request: its.request, ends: [its.decision_id] }], foreign);
    expect(await stateOf(reviewed.code)).toBe("review");
  });

  test("that erases a person closes the requests", async () => {
    const { id, main, ask, isHidden } = await prepare();
    const { code } = await ask(main, "erase");
    const { decision_id } = await findErasure(id);
    await unite(id, [{ action: "erased", decided_by: "operator", ends: [decision_id] }]);
    expect([await isHidden(), await stateOf(code)]).toEqual([null, "refused"]);
  });
});

test("after a restore, an accepted erasure in review has the whole grace period again", async () => {
  const { id, bob, bobId, main, further, ask, isHidden } = await prepare();
  const { code, requestId } = await ask(main, "erase");
  await endGrace();
  await savePeople(database, [{ ...bob, passport: { ...bob.passport, verified_wallets: [further.address] } }]);
  await work();
  expect(await stateOf(code)).toBe("review");
  await unite(id, [], { restoreGraceMs: HOUR_MS });
  const { request, refusal } = await approveRequest(database, requestId, [id, bobId], HOLDERS_ON);
  expect(refusal).toBeNull();
  expect(Number(request?.due_at) - Date.now()).toBeGreaterThan(HOUR_MS / 2);
  expect(await work()).toEqual(nothingProcessed());
  expect(await isHidden()).toBe(true);
  await endGrace();
  await work();
  expect(await isHidden()).toBeNull();
});

test("requests that no worker has verified leave nothing in the ledger", async () => {
  const { main, ask, send, listActions } = await prepare();
  await send(main, "hide", { publicUrl: "https://other.example" });
  await work();
  expect(await ask(main, "erase", {}, { now: new Date(Date.now() - 2 * HOUR_MS) })).toMatchObject({ state: "refused" });
  expect(await listActions()).toEqual([]);
});
