import type { Person } from "@credence/contract/person.ts";
import { expect, test } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { queryValue } from "#core/database/database.ts";
import { processRequests } from "#holders/manage/process-requests.ts";
import { holderSettings } from "#holders/manage/settings.ts";
import type { HolderAction } from "#holders/proof/message.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { HOLDER_ENVIRONMENT, post, signedRequest } from "#testing/holder-client.ts";
import { HOLDER_KEY } from "#testing/holders.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";
import { evmWallet, type TestWallet } from "#testing/wallets.ts";

const NEW_KEY = "another secret of requests of holders for tests";
const PUBLIC_URL = "https://v1.example";

type State = { state: string; note: string | null; history: { state: string; at: string }[] };

/** A server, and commands of its operator. Each test has people of its own. */
const { address, database, url } = await serving([], { environment: HOLDER_ENVIRONMENT });
const requestsUrl = `${address}/holder/requests`;

const environmentOf = (environment: Record<string, string>) => ({
  ...{ ...HOLDER_ENVIRONMENT, OPT_OUT_KEY, PUBLIC_URL, DATABASE_URL: url },
  ...environment,
});
const run = (args: string[], environment: Record<string, string> = {}) => runCommand(args, environmentOf(environment));
/** As `credence work --until-done`, without a build of the standing. */
const work = (environment: Record<string, string> = {}) =>
  processRequests(database, holderSettings(readConfig(environmentOf(environment))), (error) => {
    throw error;
  });

const importPeople = (people: readonly Person[]) => savePeople(database, people);

/** Sends a signed request, and returns its code. */
async function send(wallet: TestWallet, action: HolderAction, passportId: number): Promise<string> {
  const response = await post(requestsUrl, signedRequest(wallet, { action, passportId }));
  expect(response.status).toBe(202);
  return ((await response.json()) as { code: string }).code;
}

const readState = async (code: string) => (await (await post(`${requestsUrl}/state`, { code })).json()) as State;
const isHidden = (id: number) => queryValue(database, "select hidden from passport where passport_id = $1", [id]);
const idOfOpen = (id: number) =>
  queryValue<number>(
    database,
    "select request_id from holder_request where passport_id = $1 and completed_at is null",
    [id],
  );
/** A refusal is shown after 30 seconds, and a request is tried again later. */
const passTime = () =>
  database.query("update holder_request set received_at = received_at - interval '31 seconds', retry_at = now()");

test("a wallet that a merged record and another one list asks for either number, and the operator decides", async () => {
  const [main, merged] = [evmWallet("unmerged"), evmWallet("merged")];
  await importPeople([
    person(11, { main_wallet: main.address, verified_wallets: [merged.address] }),
    person(12, { main_wallet: merged.address, merged: true }),
  ]);
  for (const id of [11, 12]) {
    const code = await send(merged, "hide", id);
    await work();
    expect(await readState(code)).toMatchObject({
      state: "review",
      note: "The request could affect another record, so the operator decides on it.",
    });
    expect((await run(["requests", "approve", String(await idOfOpen(id)), "--yes"])).stdout).toContain("done");
    expect(await readState(code)).toMatchObject({ state: "done" });
    expect(await isHidden(id)).toBe(true);
  }
  // It is not the main wallet of the other record.
  const code = await send(merged, "erase", 11);
  await work();
  await passTime();
  expect(await readState(code)).toMatchObject({
    state: "refused",
    note: "Only the main wallet of the record can ask for this.",
  });
});

test("the main wallet ends an erasure in its grace period, without its code", async () => {
  const main = evmWallet("erases");
  await importPeople([person(21, { main_wallet: main.address })]);
  const lost = await send(main, "erase", 21);
  await work();
  expect([await readState(lost), await isHidden(21)]).toMatchObject([
    { state: "waiting", history: [{ state: "waiting", at: expect.stringMatching(/Z$/) }] },
    true,
  ]);
  const ended = await send(main, "withdraw", 21);
  await work();
  expect([await readState(ended), await readState(lost)]).toMatchObject([{ state: "done" }, { state: "withdrawn" }]);
  expect(await isHidden(21)).toBe(false);
  // To ask to be shown ends it too.
  const again = await send(main, "erase", 21);
  await work();
  const shown = await send(main, "unhide", 21);
  await work();
  expect([await readState(shown), await readState(again)]).toMatchObject([{ state: "done" }, { state: "replaced" }]);
  expect(await isHidden(21)).toBe(false);
  await database.query("update holder_request set due_at = now() where due_at is not null");
  await work();
  expect(await isHidden(21)).toBe(false);
  expect(await readState(lost)).toMatchObject({ history: [{ state: "waiting" }, { state: "withdrawn" }] });
  const nothing = await send(main, "withdraw", 21);
  await work();
  expect(await readState(nothing)).toMatchObject({ state: "done", note: "No request was open." });
});

test("what was asked before an erasure works beside it: see, and hide", async () => {
  const main = evmWallet("sees");
  await importPeople([person(25, { main_wallet: main.address })]);
  const erasure = await send(main, "erase", 25);
  await work();
  const seen = await send(main, "see", 25);
  await send(main, "hide", 25);
  await work();
  expect([await readState(seen), await readState(erasure)]).toMatchObject([{ state: "done" }, { state: "waiting" }]);
  await send(main, "withdraw", 25);
  await work();
  // The holder asked to be hidden meanwhile.
  expect([await readState(erasure), await isHidden(25)]).toMatchObject([{ state: "withdrawn" }, true]);
});

test("a clock, another PUBLIC_URL and a rotated HOLDER_KEY are no forgery", async () => {
  const main = evmWallet("faults");
  await importPeople([person(31, { main_wallet: main.address })]);
  const code = await send(main, "hide", 31);
  const worked = await run(["work", "--until-done"], { PUBLIC_URL: "https://other.example" });
  expect(worked.stdout).toContain("1 request cannot be verified");
  expect(await readState(code)).toMatchObject({ state: "unverifiable" });
  const listed = await run(["requests", "list"]);
  expect(listed.stdout).toMatch(/31 +hide +unverifiable /);
  const id = await idOfOpen(31);
  expect((await run(["requests", "show", String(id)])).stdout).toContain("names another server");
  expect(await run(["requests", "approve", String(id), "--yes"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("No worker could verify"),
  });
  await passTime();
  await work({ HOLDER_KEY: NEW_KEY });
  expect(await readState(code)).toMatchObject({ state: "unverifiable" });
  await passTime();
  expect(await work({ HOLDER_KEY: `${NEW_KEY},${HOLDER_KEY}` })).toMatchObject({ advanced: 1 });
  expect([await readState(code), await isHidden(31)]).toMatchObject([{ state: "done" }, true]);

  // It was signed by the clock of a node that is 20 minutes behind the database's.
  const late = await send(main, "unhide", 31);
  await database.query(
    "update holder_request set received_at = now() + interval '20 minutes' where state = 'received'",
  );
  await work();
  await database.query("update holder_request set received_at = now() - interval '31 seconds' where state = 'refused'");
  expect(await readState(late)).toMatchObject({
    state: "refused",
    note: "A clock of the server was wrong. Sign again.",
  });

  // Seven days.
  const expired = await send(main, "unhide", 31);
  await work({ HOLDER_KEY: NEW_KEY });
  await database.query(
    "update holder_request set received_at = now() - interval '8 days', retry_at = now() where state = 'unverifiable'",
  );
  await work({ HOLDER_KEY: NEW_KEY });
  expect(await readState(expired)).toMatchObject({ state: "refused", note: expect.stringContaining("7 days") });
  // It was not refused because of the wallet, and its page does not say so.
  expect((await readState(expired)).history.at(-1)).toMatchObject({ state: "refused" });
  const page = await (await post(`${requestsUrl}/state`, { code: expired }, "form")).text();
  expect(page).toContain(">Refused</h1>");
  expect(page).toContain("for 7 days");
  expect(page).not.toMatch(/not the right one|does not list/);
});

test("no request of another wallet blocks the main wallet", async () => {
  const [main, further, shared] = [evmWallet("strong"), evmWallet("weak"), evmWallet("shared")];
  await importPeople([
    person(41, { main_wallet: main.address, verified_wallets: [further.address, shared.address] }),
    person(42, { main_wallet: shared.address }),
  ]);
  const review = { HOLDER_REQUESTS: "review" };
  const weaker = [await send(shared, "unhide", 41), await send(further, "unhide", 41)];
  await work(review);
  for (const code of weaker) expect(await readState(code)).toMatchObject({ state: "review" });
  const strong = await send(main, "hide", 41);
  await work();
  expect([await readState(strong), await isHidden(41)]).toMatchObject([{ state: "done" }, true]);
  for (const code of weaker) expect(await readState(code)).toMatchObject({ state: "replaced" });
  // Nor does another wallet show the record while an erasure of the main wallet waits.
  const erasure = await send(main, "erase", 41);
  await work();
  await run(["requests", "approve", String(await idOfOpen(41)), "--yes"]);
  expect(await readState(erasure)).toMatchObject({ state: "waiting" });
  const weak = await send(further, "unhide", 41);
  const taken = await send(further, "withdraw", 41);
  await work();
  await passTime();
  expect([await readState(weak), await readState(taken), await readState(erasure)]).toMatchObject([
    { state: "refused", note: "The main wallet asked to erase this record." },
    { state: "done", note: "No request was open." },
    { state: "waiting" },
  ]);
  expect(await run(["passport", "unhide", "41", "--yes"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("refuse request"),
  });
});

test("a lost response: the same signed text gets the same code", async () => {
  const main = evmWallet("repeats");
  await importPeople([person(51, { main_wallet: main.address })]);
  const request = signedRequest(main, { action: "see", passportId: 51 });
  const receipts = [];
  for (let n = 0; n < 2; n++) receipts.push(await (await post(requestsUrl, request)).json());
  const [first, second] = receipts as [{ code: string; secret: string }, { code: string }];
  expect(second).toEqual({ code: first.code });
  await work();
  const { status } = await post(`${requestsUrl}/data`, { code: first.code, secret: first.secret });
  expect(status).toBe(200);
  // A page without the secret asks for it.
  expect(await (await post(requestsUrl, request, "form")).text()).toContain('id="secret"');
});

test("the history tells of a refusal when its state does", async () => {
  const code = await send(evmWallet("of nobody"), "hide", 71);
  await work();
  expect(await readState(code)).toMatchObject({ state: "received", history: [] });
  await passTime();
  expect(await readState(code)).toMatchObject({ state: "refused", completedAt: null, history: [{ state: "refused" }] });
  const page = await post(`${requestsUrl}/state`, { code }, "form");
  expect(await page.text()).toContain(">Refused: passport 71 does not list this wallet</h1>");
});

test("503 with Retry-After while three requests of the wallet wait; a withdrawal is accepted", async () => {
  const main = evmWallet("waits");
  for (let n = 0; n < 3; n++) await send(main, "hide", 61);
  const response = await post(requestsUrl, signedRequest(main, { action: "hide", passportId: 61 }));
  expect([response.status, Number(response.headers.get("retry-after"))]).toEqual([503, expect.any(Number)]);
  await send(main, "withdraw", 61);
  await work();
});
