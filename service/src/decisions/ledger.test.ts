import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { decideNow, insertRequest } from "#testing/decide.ts";
import { findName } from "#testing/look-up.ts";
import { person } from "#testing/people.ts";
import {
  appendDecision,
  appendKeyDecision,
  type By,
  findState,
  listDecisions,
  listErasedIds,
  listLostErasures,
  type PersonAction,
} from "./ledger.ts";

const { database } = await testDatabase();

let prepared = 0;

/** A stored person, decisions about them, and what holds afterwards. */
async function preparePerson() {
  prepared += 1;
  const passportId = prepared;
  await savePeople(database, [person(passportId)]);
  const decide = (by: By, action: PersonAction, request: string | null = null) =>
    decideNow(database, { action, by, passportId, request, dueAt: action === "erase" ? new Date() : null });
  /** What is true about the person: empty if nothing hides them. */
  const state = async (): Promise<string[]> => {
    const { passport_id: _, keeps_facts: __, ...rest } = await findState(database, passportId);
    return Object.entries(rest).flatMap(([name, isTrue]) => (isTrue ? [name] : []));
  };
  const isShown = async () => (await findName(database, passportId)) !== null;
  const list = async () => {
    const decisions = await listDecisions(database, { since: null, passportId, limit: 100 });
    return decisions.toReversed();
  };
  return { passportId, decide, state, isShown, list };
}

describe("a decision holds until one that knows it and may end it", () => {
  const [HIDE, HOLDER_HIDE, ERASE] = [
    ["operator", "hide"],
    ["holder", "hide"],
    ["holder", "erase"],
  ] as const;
  const request = randomUUID();
  type Step = readonly [By, PersonAction];

  test.each<[string, readonly Step[], string[]]>([
    ["a hide by the operator", [HIDE], ["hidden_by_operator"]],
    ["a hide by the holder", [HOLDER_HIDE], ["hidden_by_holder"]],
    ["an erasure that waits", [ERASE], ["erasing"]],
    ["all of them", [HIDE, HOLDER_HIDE, ERASE], ["hidden_by_operator", "hidden_by_holder", "erasing"]],
    ["show by the operator ends hides and erasures", [HIDE, HOLDER_HIDE, ERASE, ["operator", "show"]], []],
    [
      "show by the holder ends the holder's",
      [HIDE, HOLDER_HIDE, HOLDER_HIDE, ERASE, ["holder", "show"]],
      ["hidden_by_operator"],
    ],
    ["a hide after a show", [HIDE, ["operator", "show"], HOLDER_HIDE], ["hidden_by_holder"]],
    ["two hides, one show", [HIDE, HIDE, ["operator", "show"]], []],
    ["a refusal ends the erasure", [HOLDER_HIDE, ERASE, ["operator", "refuse"]], ["hidden_by_holder"]],
    ["a second erasure replaces the first", [ERASE, ERASE, ["holder", "show"]], []],
    ["steps of a request end nothing", [ERASE, ["worker", "review"], ["operator", "approve"]], ["erasing"]],
    ["an erasure that is carried out", [HIDE, ERASE, ["worker", "erased"]], ["hidden_by_operator", "erased"]],
    ["a show does not bring an erased person back", [HIDE, ["operator", "erased"], ["operator", "show"]], ["erased"]],
    [
      "an erased person whom the operator allows",
      [
        ["operator", "erased"],
        ["operator", "allow"],
      ],
      [],
    ],
    ["allow ends erasures only", [HIDE, ["operator", "erased"], ["operator", "allow"]], ["hidden_by_operator"]],
    [
      "erased again",
      [
        ["operator", "erased"],
        ["operator", "allow"],
        ["operator", "erased"],
      ],
      ["erased"],
    ],
  ])("%s", async (_, steps, expected) => {
    const { decide, state, isShown, list, passportId } = await preparePerson();
    for (const [by, action] of steps) await decide(by, action, request);
    expect(await state()).toEqual(expected);
    const isErased = steps.some(([, action]) => action === "erased");
    expect(await isShown()).toBe(expected.length === 0 && !isErased);
    expect(await listErasedIds(database, [passportId])).toEqual(expected.includes("erased") ? [passportId] : []);
    // Each appends a row, also if it changes nothing now.
    expect((await list()).map(({ decided_by, action }) => [decided_by, action])).toEqual(steps);
  });

  test("a refusal ends the erasure of its own request only", async () => {
    const { decide, state } = await preparePerson();
    await decide("operator", "erase", request);
    await decide("operator", "refuse", randomUUID());
    expect(await state()).toEqual(["erasing"]);
    await decide("operator", "refuse", request);
    expect(await state()).toEqual([]);
  });

  test("nobody else is changed by it", async () => {
    const [one, other] = [await preparePerson(), await preparePerson()];
    await one.decide("operator", "hide");
    await other.decide("operator", "show");
    await other.decide("operator", "erased");
    expect(await one.state()).toEqual(["hidden_by_operator"]);
    expect(await other.state()).toEqual(["erased"]);
  });

  test("also about a person who is not stored: whoever is imported later is hidden", async () => {
    const passportId = 1_000_000;
    await decideNow(database, { action: "hide", by: "operator", passportId });
    await savePeople(database, [person(passportId)]);
    expect(await findName(database, passportId)).toBeNull();
  });
});

test.each([
  "update decision set action = 'show'",
  "delete from decision",
  "update decision_end set ended = gen_random_uuid()",
  "delete from decision_end",
  "update decision_wallet set key = '0000000000000000'",
  "delete from decision_wallet",
])("refuses %s", async (statement) => {
  const { decide } = await preparePerson();
  await decide("operator", "hide");
  await decide("operator", "erased");
  const { passportId } = await preparePerson();
  await appendDecision(
    database,
    { action: "erased", by: "operator", passportId },
    { wallets: ["a"], key: "a key that nobody could guess" },
  );
  await expect(database.query(statement)).rejects.toThrow("never changed or deleted");
});

test("wallets of an erased person are stored as hashes under a key, or not at all", async () => {
  const decision = { action: "erased", by: "operator", passportId: 2_000_000 } as const;
  await expect(appendDecision(database, decision, { wallets: ["a wallet"] })).rejects.toThrow("OPT_OUT_KEY");
  expect((await findState(database, decision.passportId)).erased).toBe(false);
});

test("lists decisions newest first, about one person, since a time, up to a limit, and which hold", async () => {
  const { passportId, decide } = await preparePerson();
  await decide("holder", "hide");
  await decide("holder", "show");
  const since = new Date();
  await decide("operator", "hide");
  await appendKeyDecision(database, "expire key", "a key", since);
  const about = await listDecisions(database, { since: null, passportId, limit: 2 });
  expect(about).toMatchObject([
    { action: "hide", decided_by: "operator", passport_id: passportId, in_force: true, is_foreign: false },
    { action: "show", decided_by: "holder", in_force: false },
  ]);
  const recent = await listDecisions(database, { since, passportId: null, limit: 9 });
  expect(recent).toMatchObject([
    { action: "expire key", key_id: "a key", due_at: since, passport_id: null },
    { action: "hide" },
  ]);
});

test("an erasure is lost if no open request asks for it, until somebody decides", async () => {
  const [signed, lost, erased] = [await preparePerson(), await preparePerson(), await preparePerson()];
  const request = await insertRequest(database, { passportId: signed.passportId, wish: "erase", state: "waiting" });
  const before = await listLostErasures(database);
  await signed.decide("holder", "erase", request);
  await lost.decide("holder", "erase", randomUUID());
  await erased.decide("holder", "erase", randomUUID());
  await erased.decide("operator", "erased");
  const listNew = async () => (await listLostErasures(database)).filter((id) => !before.includes(id));
  expect(await listNew()).toEqual([lost.passportId]);
  await lost.decide("operator", "show");
  expect(await listNew()).toEqual([]);
});
