import { beforeEach, describe, expect, test } from "vitest";
import { createLog } from "#core/process/log.ts";
import { issueMessage } from "#holders/proof/issue-message.ts";
import { parseMessage } from "#holders/proof/message.ts";
import { receiptCode } from "#holders/proof/verify-request.ts";
import { testDatabase } from "#testing/database.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { HOLDER_KEY, HOLDERS_ON, signRequest } from "#testing/holders.ts";
import type { TestWallet } from "#testing/wallets.ts";
import { reportRequests } from "./log-requests.ts";
import { approveRequest } from "./operator-decisions.ts";
import { reportSettings } from "./worker-settings.ts";

// What a page promised counts, also if the worker has other settings. The serving role writes the
// promise, so it can make a worker more careful, and nothing else.

const { database } = await testDatabase();
const { requests, prepare, endGrace } = holderTests(database);

beforeEach(async () => {
  await database.query("delete from holder_request");
  await database.query("delete from holder_settings");
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ON = { mode: "on", graceMs: 72 * HOUR_MS } as const;

type Promised = { mode: "on" | "review"; graceMs: number };
type Holder = Awaited<ReturnType<typeof prepare>>;

/** An erasure that a page with these settings accepted, and that this worker has looked at. */
async function askToErase({ main, id, work }: Holder, promised: Promised, settings: Promised) {
  const request = { ...signRequest(main, "erase", id), ...promised };
  await requests.enqueue(request);
  await work(settings);
  return { code: request.code, ...(await stateOf(request.code)) };
}

async function stateOf(code: string) {
  const { state, receivedAt, dueAt } = (await requests.stateOf(code)) ?? {};
  const hours = dueAt && receivedAt ? Math.round((dueAt.getTime() - receivedAt.getTime()) / HOUR_MS) : null;
  return { state, hours };
}

describe("an erasure", () => {
  test.each([
    ["the page promised less time", { ...ON, graceMs: 0 }, ON, { state: "waiting", hours: 72 }],
    ["the page promised more time", ON, { ...ON, graceMs: HOUR_MS }, { state: "waiting", hours: 72 }],
    ["a stolen role promised 100 years", { ...ON, graceMs: 100 * 365 * DAY_MS }, ON, { state: "waiting", hours: 720 }],
    ["a stolen role promised less than nothing", { ...ON, graceMs: -DAY_MS }, ON, { state: "waiting", hours: 72 }],
    ["only the page leaves it to the operator", { ...ON, mode: "review" }, ON, { state: "review", hours: null }],
    ["only the worker leaves it to the operator", ON, { ...ON, mode: "review" }, { state: "review", hours: null }],
  ] as const)("if %s, the more careful counts", async (_, promised, settings, expected) => {
    expect(await askToErase(await prepare(), promised, settings)).toMatchObject(expected);
  });

  test("keeps mode and date when settings change after a worker accepted it", async () => {
    const holder = await prepare();
    const { code } = await askToErase(holder, ON, { ...ON, graceMs: HOUR_MS });
    await holder.work({ mode: "review", graceMs: 500 * HOUR_MS });
    expect(await stateOf(code)).toEqual({ state: "waiting", hours: 72 });
    await endGrace();
    await holder.work({ mode: "review", graceMs: 500 * HOUR_MS });
    expect(await requests.stateOf(code)).toMatchObject({ state: "done" });
  });

  test("has the promised grace period after the operator's approval, whatever the setting is by then", async () => {
    const holder = await prepare();
    const { code } = await askToErase(holder, { mode: "review", graceMs: 100 * HOUR_MS }, { ...ON, graceMs: 0 });
    await approveRequest(database, await holder.findOpen(), [], { ...HOLDERS_ON, graceMs: 0 });
    expect(await stateOf(code)).toEqual({ state: "waiting", hours: 100 });
  });

  test("of a serving node from before this change has what the worker's settings say", async () => {
    const { main, id, work } = await prepare();
    const { code, passportId, action, address, message, signature, nonce } = signRequest(main, "erase", id);
    await database.query("select enqueue_request(sha256(convert_to($1, 'UTF8')), null, $2, $3, $4, $5, $6, $7)", [
      code.replaceAll("-", ""),
      ...[passportId, action, address, message, signature, nonce],
    ]);
    await work(ON);
    expect(await stateOf(code)).toEqual({ state: "waiting", hours: 72 });
  });
});

describe("a signed text for another domain or key", () => {
  const SERVER = { ...HOLDERS_ON, publicUrl: "https://v1.example" };

  async function startServer(): Promise<void> {
    await reportSettings(database, SERVER);
    await database.query("update holder_settings set process = 'server', first_seen_at = now() - interval '1 hour'");
  }

  /** A withdrawal that the holder signed elsewhere, in a row of a stolen serving role. */
  async function withdraw({ id }: Holder, wallet: TestWallet, domain: string, key: string): Promise<string> {
    const { address } = wallet;
    const uri = `https://${domain}/holder`;
    const message = issueMessage(key, { domain, address, action: "withdraw", passportId: id, uri }, new Date());
    const { nonce = "" } = parseMessage(message) ?? {};
    const code = receiptCode(HOLDER_KEY, message);
    const signature = wallet.sign(message);
    await requests.enqueue({ action: "withdraw", passportId: id, address, code, message, signature, nonce, ...ON });
    return code;
  }

  test.each([
    ["another domain", "other.example", HOLDER_KEY],
    ["another key", "v1.example", "a key of nobody here, long enough to be one"],
  ])("is forged while all processes have the same settings, and postpones nothing: %s", async (_, domain, key) => {
    await startServer();
    const holder = await prepare();
    const { code } = await askToErase(holder, ON, ON);
    await withdraw(holder, holder.main, domain, key);
    expect(await holder.work()).toMatchObject({ forged: 1, unverifiable: 0 });
    await endGrace();
    await holder.work();
    expect(await requests.stateOf(code)).toMatchObject({ state: "done" });
  });

  test.each<[string, () => Promise<unknown>]>([
    ["a worker differs", () => reportSettings(database, { ...SERVER, keys: ["another key that is long enough"] })],
    [
      "a worker differed after the text was issued",
      async () => {
        await reportSettings(database, { ...SERVER, publicUrl: "https://other.example" });
        await database.query(
          "update holder_settings set last_seen_at = now() - interval '80 seconds' where process = 'worker'",
        );
      },
    ],
    ["no server has stored its settings", () => database.query("delete from holder_settings")],
    [
      "the server began to store them after the receipt",
      () => database.query("update holder_settings set first_seen_at = now() + interval '1 hour'"),
    ],
  ])("is tried again and logged if different settings can explain it: %s", async (_, change) => {
    await startServer();
    const holder = await prepare();
    const { code } = await askToErase(holder, ON, ON);
    await change();
    await withdraw(holder, holder.main, "other.example", HOLDER_KEY);
    const processed = await holder.work();
    expect(processed).toMatchObject({ forged: 0, unverifiable: 1, withdrawals_unverifiable: 1 });
    const lines: string[] = [];
    reportRequests(createLog("info", { write: (line) => void lines.push(line) }), processed);
    expect(lines.join("")).toContain("postpone it by up to 7 days");
    await endGrace();
    await holder.work();
    expect(await requests.stateOf(code)).toMatchObject({ state: "waiting" });
    // Told once, and left to the operator after 7 days.
    await database.query("update holder_request set retry_at = '-infinity', due_at = due_at - interval '8 days'");
    expect(await holder.work()).toMatchObject({ unverifiable: 1, withdrawals_unverifiable: 0, advanced: 1 });
    expect(await requests.stateOf(code)).toMatchObject({ state: "review" });
    expect(await holder.isHidden()).toBe(true);
  });

  test("is refused once the settings that explained it are known to be the same", async () => {
    await startServer();
    const holder = await prepare();
    await database.query("delete from holder_settings");
    const code = await withdraw(holder, holder.main, "other.example", HOLDER_KEY);
    await holder.work();
    expect(await requests.stateOf(code)).toMatchObject({ state: "unverifiable" });
    await startServer();
    await database.query("update holder_request set retry_at = '-infinity'");
    expect(await holder.work()).toMatchObject({ forged: 1, unverifiable: 0 });
  });
});
