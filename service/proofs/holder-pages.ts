import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { inventPerson } from "#invent/person.ts";
import { randomFrom } from "#invent/random.ts";
import { refreshStanding } from "#operations/standing/refresh-standing.ts";
import { savePeople } from "#operations/write/save-people.ts";
import type { HolderAction } from "#ownership/message.ts";
import type { Database } from "#store/engine/database.ts";
import { HOLDER_ENVIRONMENT, post, signedRequest } from "#testing/holder-client.ts";
import { launchBrowser } from "#testing/launch-browser.ts";
import { evmWallet, solanaWallet, type TestWallet } from "#testing/wallets.ts";
import { runCredence, startCredence, startServer, waitFor, withProofDatabase } from "./harness.ts";
import { injectWallet } from "./holder-pages/browser-wallet.ts";
import { checkLoaded, watch } from "./pages/check-page.ts";

const ENVIRONMENT = {
  ...HOLDER_ENVIRONMENT,
  PUBLIC_URL: "https://credence.example",
  OPERATOR_CONTACT: "ops@credence.example",
  OPT_OUT_KEY: "the key of tombstones, of thirty-two bytes",
  CACHE_MAX_AGE: "0s",
};
const HOLDER = evmWallet("a holder");
const SOLANA_HOLDER = solanaWallet("a holder");
const PASSPORT = 1;
const SOLANA_PASSPORT = 2;
const SHARED = evmWallet("shared by two people");
const SHARING = [3, 4] as const;
const PICTURES = join(import.meta.dirname, "../../build/pages");

type Receipt = { code: string; secret: string };
type Proof = { address: string; database: Database; hasPictures: boolean; states: string[]; forms: Set<string> };

/**
 * A holder uses the pages as a person would: with a wallet in the browser, and without scripts.
 * `share` 1: with pictures in `build/pages`.
 */
export function proveHolderPages(share: number) {
  return withProofDatabase(async ({ url, database }) => {
    const people = [personOf(PASSPORT, HOLDER), personOf(SOLANA_PASSPORT, SOLANA_HOLDER)];
    await savePeople(database, [...people, ...SHARING.map((id) => personOf(id, SHARED))]);
    await refreshStanding(database);
    if (share === 1) await mkdir(PICTURES, { recursive: true });
    const server = await startServer(url, ENVIRONMENT);
    const worker = startCredence(["work"], { ...ENVIRONMENT, DATABASE_URL: url });
    const browser = await launchBrowser();
    const proof = { address: server.address, database, hasPictures: share === 1, states: [], forms: new Set<string>() };
    try {
      await useWallet(browser, proof);
      await useWithoutScripts(browser, proof);
      await awaitOperator(browser, proof, url);
      return { states: proof.states };
    } finally {
      await browser.close();
      worker.process.kill("SIGTERM");
      await Promise.all([worker.ended, server.stop()]);
    }
  });
}

function personOf(passportId: number, { address }: TestWallet) {
  const person = inventPerson(randomFrom(1, passportId), passportId);
  Object.assign(person.passport, { main_wallet: address, verified_wallets: [address] });
  return person;
}

/** Everything a holder can ask for, signed by a wallet in the browser. */
async function useWallet(browser: Browser, proof: Proof): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 820, height: 900 } });
  const faults = watch(page, proof.address);
  await injectWallet(page, HOLDER, true);
  await page.goto(`${proof.address}/passports/${PASSPORT}`);
  await page.click("main >> text=Your record");
  assert.equal(await page.inputValue("#passport"), String(PASSPORT));

  const hidden = await signInBrowser(page, proof, "hide");
  await showState(page, proof, hidden, "Done: the record is hidden");
  assert.equal(await statusOf(proof), 404);
  await page.goto(`${proof.address}/holder?passport=${PASSPORT}`);
  await showState(page, proof, await signInBrowser(page, proof, "unhide"), "Done: the record is shown again");
  assert.equal(await statusOf(proof), 200);

  await page.goto(`${proof.address}/holder?passport=${PASSPORT}`);
  const withdrawn = await signInBrowser(page, proof, "erase");
  await showState(page, proof, withdrawn, "Hidden, and erased later");
  assert.equal(await statusOf(proof), 404);
  await page.click("text=Withdraw the request");
  await checkState(page, proof, "Withdrawn");
  await waitFor(
    "the record to be shown again",
    () => statusOf(proof),
    (status) => status === 200,
  );

  await page.goto(`${proof.address}/holder?passport=${PASSPORT}`);
  await fetchData(page, proof, await signInBrowser(page, proof, "see"));

  await page.goto(`${proof.address}/holder?passport=${PASSPORT}`);
  const erased = await signInBrowser(page, proof, "erase");
  await waitFor(
    "the erasure to wait",
    () => stateOf(proof, erased),
    (state) => state === "waiting",
  );
  // The grace period ends.
  await proof.database.query("update holder_request set due_at = now() where completed_at is null");
  await proof.database.query("select pg_notify('credence_work', '')");
  await showState(page, proof, erased, "Done: the record is erased");
  const { rows } = await proof.database.query("select from passport where passport_id = $1", [PASSPORT]);
  assert.equal(rows.length, 0);
  // The browser reports the page about the wrong secret.
  assert.deepEqual(
    faults.filter((fault) => !fault.includes("a status of 404")),
    [],
  );
  await page.close();
}

/** From the filled form to the receipt. */
async function signInBrowser(page: Page, proof: Proof, action: HolderAction): Promise<Receipt> {
  await page.fill("#wallet", HOLDER.address);
  await page.check(`[name=want][value=${action}]`);
  await page.click("text=Prepare the text to sign");
  await page.waitForSelector("text=Sign with Test wallet");
  await checkState(page, proof, "Your record", `text-${action}`);
  await page.click("text=Sign with Test wallet");
  // The wallet declines once.
  if (!proof.states.includes("declined")) {
    await page.waitForSelector("text=You declined. Nothing was sent.");
    await picture(page, proof, "declined");
    await page.click("text=Sign with Test wallet");
  }
  return readReceipt(page, proof, action);
}

async function readReceipt(page: Page, proof: Proof, action: HolderAction): Promise<Receipt> {
  await page.waitForSelector("text=Your request was received");
  await checkState(page, proof, "Your request was received", `receipt-${action}`);
  const [code = "", secret = ""] = await page.locator("code.all").allTextContents();
  return { code, secret };
}

/** Opens the state of a request once it is reached, and checks the page. */
async function showState(page: Page, proof: Proof, { code }: Receipt, heading: string): Promise<void> {
  const isReached = async () => {
    const response = await post(`${proof.address}/holder/requests/state`, { code }, "form");
    return (await response.text()).includes(heading);
  };
  await waitFor(`the page "${heading}"`, isReached);
  await page.click("text=Show the state");
  await checkState(page, proof, heading);
}

async function fetchData(page: Page, proof: Proof, receipt: Receipt): Promise<void> {
  await showState(page, proof, receipt, "Done: your data is prepared");
  await page.fill("#secret", "a wrong secret");
  await page.click("text=Show my data");
  await checkState(page, proof, "Look up a code", "wrong-secret");
  await page.click("text=Show the state");
  await page.fill("#secret", receipt.secret);
  await page.click("text=Show my data");
  await checkState(page, proof, `What is stored about passport ${PASSPORT}`);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download all of it")]);
  const file = JSON.parse(await readFile(await download.path(), "utf8"));
  assert.equal(file.passport.main_wallet, HOLDER.address);
  assert.ok(Array.isArray(file.credentials) && Array.isArray(file.score_changes));
}

/** A Solana wallet elsewhere, a browser without scripts: the signature is pasted. */
async function useWithoutScripts(browser: Browser, proof: Proof): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${proof.address}/holder`);
  await page.fill("#passport", String(SOLANA_PASSPORT));
  await page.fill("#wallet", SOLANA_HOLDER.address);
  await page.check("[name=want][value=hide]");
  await page.click("text=Prepare the text to sign");
  const text = (await page.textContent("#message")) ?? "";
  await page.fill("#signature", HOLDER.sign(text));
  await page.click("text=Send: Hide passport 2.");
  await page.waitForSelector("text=This is not a complete signature");
  await picture(page, proof, "wrong-signature");
  await page.fill("#signature", ` ${SOLANA_HOLDER.sign(text)}\n`);
  await page.click("text=Send: Hide passport 2.");
  await page.waitForSelector("text=Your request was received");
  const code = (await page.textContent("code.all")) ?? "";
  await waitFor(
    "the request to be done",
    () => stateOf(proof, { code, secret: "" }),
    (state) => state === "done",
  );
  await page.click("text=Show the state");
  await page.waitForSelector("text=Done: the record is hidden");
  await picture(page, proof, "without-scripts");
  assert.equal((await fetch(`${proof.address}/api/v1/passports/${SOLANA_PASSPORT}`)).status, 404);
  await context.close();
}

/** The operator decides on the request of a shared wallet. An unknown code says nothing. */
async function awaitOperator(browser: Browser, proof: Proof, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const request = signedRequest(SHARED, { action: "hide", passportId: SHARING[0] }, ENVIRONMENT.PUBLIC_URL);
  const sent = await post(`${proof.address}/holder/requests`, request);
  const { code } = (await sent.json()) as Receipt;
  await waitFor(
    "the review",
    () => stateOf(proof, { code, secret: "" }),
    (state) => state === "review",
  );
  const look = async (code: string, heading: string) => {
    await page.goto(`${proof.address}/holder/requests`);
    await page.fill("#code", code);
    await page.click("text=Show the state");
    await checkState(page, proof, heading);
  };
  await look(code, "The operator decides");
  const { rows } = await proof.database.query("select request_id from holder_request where state = 'review'");
  const decision = ["--reason", "Another person has this wallet too", "--yes"];
  await runCredence(["requests", "refuse", String(rows[0].request_id), ...decision], {
    ...ENVIRONMENT,
    DATABASE_URL: url,
  });
  // A refusal is shown 30 seconds after the request.
  await proof.database.query("update holder_request set received_at = received_at - interval '31 seconds'");
  await look(code, "Refused");
  await look("0".repeat(32), "Look up a code");
  await page.close();
}

async function stateOf({ address }: Proof, { code }: Receipt): Promise<string> {
  const response = await post(`${address}/holder/requests/state`, { code });
  return ((await response.json()) as { state: string }).state;
}

const statusOf = async ({ address }: Proof): Promise<number> =>
  (await fetch(`${address}/api/v1/passports/${PASSPORT}`)).status;

/** Checks the page with this heading: axe, keyboard, no scrolling sideways. */
async function checkState(page: Page, proof: Proof, heading: string, name = heading): Promise<void> {
  await page.waitForSelector(`:is(h1, h2):has-text("${heading}")`);
  // Pages of one form are checked once: with pictures, those of each state.
  const form = proof.hasPictures ? (name.split("-")[0] as string) : ((await page.textContent("h1")) ?? "");
  const isKnownForm = proof.forms.has(form);
  proof.forms.add(form);
  await picture(page, proof, name);
  if (!isKnownForm) await checkLoaded(page, name);
}

async function picture(page: Page, { hasPictures, states }: Proof, name: string): Promise<void> {
  states.push(name);
  const file = `holder-flow-${name.replaceAll(/\W+/g, "-").toLowerCase()}.png`;
  if (hasPictures) await page.screenshot({ path: join(PICTURES, file), fullPage: true });
}
