import { describe, expect, test } from "vitest";
import type { HolderAction } from "#holders/proof/message.ts";
import { savePeople } from "#people/write/save-people.ts";
import { changePerson } from "#privacy/change-person.ts";
import { erasePerson } from "#privacy/erase-person.ts";
import { testDatabase } from "#testing/database.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { importLines } from "#testing/import-lines.ts";
import { person, wallet } from "#testing/people.ts";
import { evmWallet } from "#testing/wallets.ts";
import { deleteOldRequests } from "./delete-old-requests.ts";
import { approveRequest } from "./operator-decisions.ts";
import { nothingProcessed } from "./process-requests.ts";
import type { HolderSettings } from "./settings.ts";

const { database } = await testDatabase();
const { requests, prepare, endGrace } = holderTests(database);

describe("enqueue", () => {
  test("the same text gets the same code, and is stored once", async () => {
    const { id, main, work, countRequests } = await prepare();
    const signed = signRequest(main, "see", id);
    const first = await requests.enqueue(signed);
    expect(first).toEqual({
      code: expect.stringMatching(/^([0-9a-f]{4}-){7}[0-9a-f]{4}$/),
      secret: expect.stringMatching(/^[\w-]{43}$/),
      isKnown: false,
    });
    // The secret was shown once.
    expect(await requests.enqueue(signed)).toEqual({ code: first.code, secret: null, isKnown: true });
    await work();
    expect(await requests.enqueue(signed)).toEqual({ code: first.code, secret: null, isKnown: true });
    expect(await countRequests()).toBe(1);
    expect(await requests.fetch(first.code, first.secret as string)).not.toBeNull();
  });

  test("stores what no record lists, and a worker refuses and forgets it, in the same words", async () => {
    const { id, bobId, other, work } = await prepare();
    await changePerson(database, { action: "hide", passportId: bobId });
    const stranger = evmWallet("stranger");
    const named = [id, bobId, 999_999];
    const receipts = await Promise.all(named.map((number) => requests.enqueue(signRequest(stranger, "hide", number))));
    const shared = await requests.enqueue(signRequest(other, "hide", id));
    const codes = [...receipts, shared].map(({ code }) => code);
    expect(await work()).toEqual({ ...nothingProcessed(), unlisted: 4 });
    for (const code of codes) expect(await requests.stateOf(code)).toMatchObject({ state: "received", note: null });
    await database.query("update holder_request set received_at = now() - interval '30 seconds' where message is null");
    for (const [index, code] of codes.entries()) {
      expect(await requests.stateOf(code)).toEqual({
        ...{ action: "hide", state: "refused", note: `Passport ${named[index] ?? id} does not list this wallet.` },
        ...{ receivedAt: expect.any(Date), dueAt: null, completedAt: null, availableUntil: null },
        history: [{ state: "refused", at: expect.any(Date) }],
      });
    }
    const { rows } = await database.query("select * from holder_request where passport_id = any ($1)", [named]);
    expect(JSON.stringify(rows)).not.toContain(stranger.address.slice(2));
    await database.query("update holder_request set completed_at = now() - interval '25 hours' where message is null");
    await deleteOldRequests(database);
    expect(await requests.stateOf(codes[0] as string)).toBeNull();
  });

  test("stores three requests of a wallet that no worker has looked at, and ten to withdraw", async () => {
    const { id, main, work } = await prepare();
    const send = (action: HolderAction) => requests.enqueue(signRequest(main, action, id));
    await send("hide");
    await send("hide");
    await send("hide");
    await expect(send("hide")).rejects.toThrow("Too many requests of holders are waiting.");
    for (let index = 0; index < 10; index++) await send("withdraw");
    await expect(send("withdraw")).rejects.toThrow("Too many");
    await work();
    await send("hide");
    await work();
  });

  test("stores a thousand requests that no worker has looked at", async () => {
    const { id, main, work } = await prepare();
    await database.query(
      `insert into holder_request (code_hash, passport_id, action, address, message, signature, nonce)
       select sha256(('full ' || n)::bytea), $1, 'hide', 'wallet ' || n, 'a', 'a', 'full ' || n from generate_series(1, 1000) as n`,
      [id],
    );
    await expect(requests.enqueue(signRequest(main, "withdraw", id))).rejects.toThrow("Too many requests");
    expect(await work()).toEqual({ ...nothingProcessed(), unlisted: 1_000 });
    await requests.enqueue(signRequest(main, "hide", id));
    expect(await work()).toEqual({ ...nothingProcessed(), advanced: 1 });
  });

  test("keeps ten closed requests of each wallet, and all of the last day", async () => {
    const { id, main, further, ask, countRequests } = await prepare();
    const seen = await ask(main, "see");
    for (let index = 0; index < 11; index++) await ask(further, "hide");
    expect(await countRequests()).toBe(12);
    await database.query("update holder_request set received_at = now() - interval '25 hours' where passport_id = $1", [
      id,
    ]);
    await ask(further, "hide");
    expect(await countRequests()).toBe(11);
    expect(await requests.fetch(seen.code, seen.secret as string)).not.toBeNull();
  });
});

describe("an erasure that is due", () => {
  test.each<[string, HolderAction, Partial<HolderSettings>, string]>([
    ["the worker was down", "withdraw", {}, "withdrawn"],
    ["the worker was down", "unhide", {}, "replaced"],
    ["the worker has another PUBLIC_URL", "withdraw", { domain: "other.example" }, "waiting"],
    ["the worker has no HOLDER_KEY", "withdraw", { keys: [] }, "waiting"],
  ])("is not carried out if %s when its holder signed: %s", async (_, action, settings, state) => {
    const { main, ask, send, work, isHidden } = await prepare();
    const { code } = await ask(main, "erase");
    await endGrace();
    await send(main, action);
    await work(settings);
    expect(await requests.stateOf(code)).toMatchObject({ state });
    expect(await isHidden()).toBe(state === "waiting");
    // The settings are corrected.
    await database.query("update holder_request set retry_at = now()");
    await work();
    expect(await isHidden()).toBe(false);
  });

  test("is postponed by at most 7 days, then the operator decides, and the record stays hidden", async () => {
    const { main, ask, send, work, isHidden } = await prepare();
    const { code } = await ask(main, "erase");
    await send(main, "withdraw");
    for (const [days, state] of [
      [0, "waiting"],
      [6, "waiting"],
      [8, "review"],
    ] as const) {
      await database.query(
        "update holder_request set due_at = now() - $1 * interval '1 day', retry_at = now() where state = 'waiting'",
        [days],
      );
      await work({ domain: "other.example" });
      expect(await requests.stateOf(code)).toMatchObject({ state });
      expect(await isHidden()).toBe(true);
    }
  });

  test("is not postponed by a text that the holder signed for another site", async () => {
    const { id, main, ask, work, isHidden } = await prepare();
    await ask(main, "erase");
    await endGrace();
    const message = "Sign in to example.com with this wallet.";
    const forged = { passportId: id, action: "withdraw", address: main.address, nonce: "0".repeat(32) } as const;
    await requests.enqueue({ ...signRequest(main, "withdraw", id), ...forged, message, signature: main.sign(message) });
    await work();
    expect(await isHidden()).toBeNull();
  });

  test("is not shown by another wallet while the operator decides on it", async () => {
    const { bob, main, further, ask, work, isHidden } = await prepare();
    const { code } = await ask(main, "erase");
    await savePeople(database, [{ ...bob, passport: { ...bob.passport, verified_wallets: [main.address] } }]);
    await endGrace();
    await work();
    expect(await requests.stateOf(code)).toMatchObject({ state: "review" });
    expect(await ask(further, "unhide")).toMatchObject({ state: "refused" });
    expect(await isHidden()).toBe(true);
  });
});

test("of requests that cannot be verified, the newest of a wallet and action stays", async () => {
  const { main, send, work } = await prepare();
  const other = { domain: "other.example" };
  const first = await send(main, "hide");
  await work(other);
  const second = await send(main, "hide");
  await work(other);
  expect(await requests.stateOf(first.code)).toMatchObject({ state: "replaced" });
  expect(await requests.stateOf(second.code)).toMatchObject({ state: "unverifiable" });
  await database.query("delete from holder_request where state = 'unverifiable'");
});

test("a request that no worker could verify is refused and forgotten after a week", async () => {
  const { id, main, send, work } = await prepare();
  const { code } = await send(main, "hide");
  await database.query("update holder_request set received_at = now() - interval '8 days' where passport_id = $1", [
    id,
  ]);
  await work({ keys: [] });
  await deleteOldRequests(database);
  expect(await requests.stateOf(code)).toMatchObject({ state: "refused", note: expect.stringContaining("7 days") });
  const { rows } = await database.query("select address from holder_request where passport_id = $1", [id]);
  expect(rows).toEqual([{ address: null }]);
});

test("a request of a stranger that was withdrawn stays withdrawn", async () => {
  const { id, work } = await prepare();
  const { code } = await requests.enqueue(signRequest(evmWallet("stranger"), "hide", id));
  expect(await requests.withdraw(code)).toMatchObject({ state: "withdrawn" });
  await work();
  expect(await requests.stateOf(code)).toMatchObject({ state: "withdrawn" });
  await database.query("update holder_request set received_at = now() - interval '31 seconds' where passport_id = $1", [
    id,
  ]);
  expect(await requests.stateOf(code)).toMatchObject({ state: "withdrawn", note: null });
});

test("an import that hides a record adds to the hide of its holder", async () => {
  const { ada, main, ask, work, isHidden } = await prepare();
  const { code } = await ask(main, "erase");
  await importLines(database, [{ ...ada, operator: { hidden: true } }]);
  await requests.withdraw(code);
  await work();
  expect(await isHidden()).toBe(true);
  expect(await ask(main, "unhide")).toMatchObject({ state: "refused" });
});

test("an erasure removes the wallets from requests about other records", async () => {
  const { id, bobId, other, ask } = await prepare(({ ada, bob }) => {
    ada.verified_wallets = [bob.main_wallet as string];
  });
  expect(await ask(other, "hide")).toMatchObject({ state: "review" });
  await erasePerson(database, bobId, HOLDERS_ON.optOutKey as string);
  const { rows } = await database.query("select address, state from holder_request where passport_id = $1", [id]);
  expect(rows).toEqual([{ address: null, state: "refused" }]);
});

test("erasing a record removes what its wallet signed about a record that shared it", async () => {
  const { id, bobId, other, ask } = await prepare(({ ada, bob }) => {
    ada.verified_wallets = [bob.main_wallet as string];
  });
  expect(await ask(other, "hide")).toMatchObject({ state: "review" });
  await erasePerson(database, bobId, HOLDERS_ON.optOutKey as string);
  const { rows } = await database.query(
    "select address, message, signature, state from holder_request where passport_id = $1",
    [id],
  );
  expect(rows).toEqual([{ address: null, message: null, signature: null, state: "refused" }]);
});

test("an approved erasure keeps its proof, also if another record with the same main wallet goes with it", async () => {
  const { id, bobId, main, ask, findOpen, work } = await prepare(({ ada, bob }) => {
    bob.main_wallet = ada.main_wallet;
  });
  expect(await ask(main, "erase")).toMatchObject({ state: "review" });
  await approveRequest(database, await findOpen(), [bobId], HOLDERS_ON);
  await endGrace();
  await work();
  expect((await database.query("select from passport where passport_id = any ($1)", [[id, bobId]])).rowCount).toBe(0);
  const { rows } = await database.query("select state, address, message from holder_request where passport_id = $1", [
    id,
  ]);
  expect(rows).toEqual([{ state: "done", address: main.address, message: expect.stringContaining("Erase") }]);
});

test("erasing by the operator removes proofs and prepared data, ends open requests, and states stay readable", async () => {
  const { id, main, ask } = await prepare();
  const seen = await ask(main, "see");
  const hidden = await ask(main, "hide");
  const waiting = await ask(main, "erase");
  await erasePerson(database, id, HOLDERS_ON.optOutKey as string);
  const { rows } = await database.query("select * from holder_request where passport_id = $1", [id]);
  expect(
    rows.map(({ address, message, signature, nonce, secret_hash }) => [
      address,
      message,
      signature,
      nonce,
      secret_hash,
    ]),
  ).toEqual(Array(3).fill(Array(5).fill(null)));
  expect(await requests.fetch(seen.code, seen.secret as string)).toBeNull();
  expect(await requests.stateOf(hidden.code)).toMatchObject({ state: "done" });
  await database.query("update holder_request set received_at = now() - interval '30 seconds' where passport_id = $1", [
    id,
  ]);
  expect(await requests.stateOf(waiting.code)).toMatchObject({ state: "refused", note: "The record was erased." });
  expect((await database.query("select from holder_hide where passport_id = $1", [id])).rowCount).toBe(0);
});

test("who waits for an erasure, and is removed because of a shared wallet, does not come back", async () => {
  const { id, bobId, bob, main, ask } = await prepare();
  expect(await ask(main, "erase")).toMatchObject({ state: "waiting" });
  await savePeople(database, [person(bobId, { ...bob, verified_wallets: [main.address] })]);
  await erasePerson(database, bobId, HOLDERS_ON.optOutKey as string);
  const back = person(id, { main_wallet: wallet(80) });
  expect(await importLines(database, [back], { optOutKeys: [HOLDERS_ON.optOutKey as string] })).toMatchObject({
    ...{ added: 0, opted_out: 1 },
  });
  expect((await database.query("select from kept_hide where passport_id = $1", [id])).rowCount).toBe(0);
});
