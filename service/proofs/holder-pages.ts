import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import type { Database } from "#core/database/database.ts";
import { inventPerson } from "#demo/invent/person.ts";
import { randomFrom } from "#demo/invent/random.ts";
import { HOLDER_ACTIONS, type HolderAction, statementOf } from "#holders/proof/message.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { HOLDER_ENVIRONMENT, post, signedRequest } from "#testing/holder-client.ts";
import { launchBrowser } from "#testing/launch-browser.ts";
import { evmWallet, solanaWallet, type TestWallet } from "#testing/wallets.ts";
import { runCredence, startCredence, startServer, waitFor, withProofDatabase } from "./harness.ts";
import { askFor, type Receipt, type Way } from "./holder-pages/ask.ts";
import { injectWallet } from "./holder-pages/browser-wallet.ts";
import { useDemo } from "./holder-pages/demo.ts";
import { checkLoaded, watch } from "./pages/check-page.ts";

const ENVIRONMENT = {
  ...HOLDER_ENVIRONMENT,
  PUBLIC_URL: "https://credence.example",
  OPERATOR_CONTACT: "ops@credence.example",
  OPT_OUT_KEY: "the key of tombstones, of thirty-two bytes",
  CACHE_MAX_AGE: "0s",
};
/** Each way to sign has a passport and a wallet of its own. */
const WAYS: readonly Way[] = [
  { name: "wallet in the browser", passportId: 1, wallet: evmWallet("a holder"), width: 820 },
  { name: "without scripts", passportId: 2, wallet: solanaWallet("a holder"), width: 390 },
];
const SHARED = evmWallet("shared by two people");
const SHARING = [5, 6] as const;

type Proof = {
  address: string;
  database: Database;
  /** Whether the pages of the browser run scripts, as the checks of a page do. */
  hasScripts: boolean;
  states: string[];
  forms: Set<string>;
};

/**
 * Holders use the pages as people would: all five requests, with a wallet in the browser, with pasted
 * signatures and without scripts, without a wallet that can sign, and with the wallet of the demo.
 * Below size 1, only three of the requests without scripts.
 */
export function proveHolderPages(size: number) {
  return withProofDatabase(async ({ url, database }) => {
    const people = WAYS.map(({ passportId, wallet }) => personOf(passportId, wallet));
    await savePeople(database, [...people, ...SHARING.map((id) => personOf(id, SHARED))]);
    await refreshStanding(database);
    const server = await startServer(url, ENVIRONMENT);
    const worker = startCredence(["work"], { ...ENVIRONMENT, DATABASE_URL: url });
    const browser = await launchBrowser();
    const proof: Proof = { address: server.address, database, hasScripts: true, states: [], forms: new Set<string>() };
    try {
      for (const way of WAYS) await useAllActions(browser, proof, way, size);
      await useWithoutWallet(browser, proof);
      await awaitOperator(browser, proof, url);
      return { states: proof.states, inDemo: await useDemo(browser) };
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

/** Hides, shows, erases, withdraws by signature, and sees what is stored; then erases for good. */
async function useAllActions(browser: Browser, shared: Proof, way: Way, size: number): Promise<void> {
  const proof = { ...shared, hasScripts: way.name !== "without scripts" };
  const page = await browser.newPage({
    viewport: { width: way.width, height: 900 },
    javaScriptEnabled: proof.hasScripts,
  });
  const faults = watch(page, proof.address);
  if (way.name === "wallet in the browser") await injectWallet(page, way.wallet, true);
  const onPage = (heading: string, name: string) => checkState(page, proof, heading, name);
  const ask = (action: HolderAction) => askFor(page, { way, action, onPage });
  const isShown = (status: number) =>
    waitFor(
      `passport ${way.passportId} to answer ${status}`,
      () => statusOf(proof, way),
      (found) => found === status,
    );

  await page.goto(`${proof.address}/passports/${way.passportId}`);
  await page.click(`main a[href="/holder?passport=${way.passportId}"]`);
  await showState(page, proof, await ask("hide"), "Done: your record is hidden");
  await isShown(404);
  await page.goto(`${proof.address}/holder`);
  await showState(page, proof, await ask("unhide"), "Done: your record is shown again");
  await isShown(200);
  if (size >= 1 || proof.hasScripts) {
    await page.goto(`${proof.address}/holder`);
    await showState(page, proof, await ask("erase"), "Hidden now, erased in");
    await isShown(404);
    // Without the code.
    await page.goto(`${proof.address}/holder/requests`);
    await page.click("text=I lost the receipt");
    await page.click("text=sign again with the same wallet");
    await showState(page, proof, await ask("withdraw"), "Done: your requests are cancelled");
    await isShown(200);
  }

  await page.goto(`${proof.address}/holder`);
  await fetchData(page, proof, way, await ask("see"));
  if (way.name === "wallet in the browser") await eraseForGood(page, proof, way, ask);
  // The browser reports pages about a wrong secret or signature.
  const expected = /a status of 40[04]/;
  assert.deepEqual(
    faults.filter((fault) => !expected.test(fault)),
    [],
  );
  await page.close();
}

/** An erasure that is withdrawn by its code, and one whose grace period ends. */
async function eraseForGood(page: Page, proof: Proof, way: Way, ask: (action: HolderAction) => Promise<Receipt>) {
  await page.goto(`${proof.address}/holder`);
  await showState(page, proof, await ask("erase"), "Hidden now, erased in");
  await page.click("text=Cancel the erasure");
  await checkState(page, proof, "Cancelled");
  await waitFor(
    "the record to be shown again",
    () => statusOf(proof, way),
    (status) => status === 200,
  );
  await page.goto(`${proof.address}/holder`);
  const erased = await ask("erase");
  await waitFor(
    "the erasure to wait",
    () => stateOf(proof, erased),
    (state) => state === "waiting",
  );
  await proof.database.query(
    "update holder_request set due_at = now() where passport_id = $1 and completed_at is null",
    [way.passportId],
  );
  await proof.database.query("select pg_notify('credence_work', '')");
  await showState(page, proof, erased, "Done: your record is erased");
  const { rows } = await proof.database.query("select from passport where passport_id = $1", [way.passportId]);
  assert.equal(rows.length, 0);
}

/** Opens the state of a request once it is reached, and checks the page. */
async function showState(page: Page, proof: Proof, { code }: Receipt, heading: string): Promise<void> {
  const isReached = async () => {
    const response = await post(`${proof.address}/holder/requests/state`, { code }, "form");
    return (await response.text()).includes(heading);
  };
  await waitFor(`the page "${heading}"`, isReached);
  await page.click("text=Load again");
  await checkState(page, proof, heading);
}

/** The result, then on another device: with a wrong secret, and with the whole text of the receipt. */
async function fetchData(page: Page, proof: Proof, way: Way, receipt: Receipt): Promise<void> {
  const stored = "What is stored about you";
  await waitFor(
    "the data",
    () => stateOf(proof, receipt),
    (state) => state === "done",
  );
  await page.click("text=Load again");
  await checkState(page, proof, stored);
  const comeBack = async (text: string) => {
    await page.goto(`${proof.address}/holder/requests`);
    await page.fill("#receipt", text);
    await page.click("text=Show my request");
  };
  await comeBack(receipt.file.replace(receipt.secret, "a-wrong-secret"));
  await checkState(page, proof, "Your data is ready", "wrong-secret");
  assert.equal(await page.inputValue("#secret"), "a-wrong-secret");
  await page.fill("#secret", receipt.secret);
  await page.click("text=Show my data");
  await checkState(page, proof, stored);
  await comeBack(receipt.file);
  await checkState(page, proof, stored);
  assert.ok((await page.innerText("main")).includes(way.wallet.address));
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download everything")]);
  const file = JSON.parse(await readFile(await download.path(), "utf8"));
  assert.equal(file.passport.main_wallet, way.wallet.address);
  assert.ok(Array.isArray(file.credentials));
}

/** Whose wallet cannot sign finds a letter to the operator for each request. */
async function useWithoutWallet(browser: Browser, proof: Proof): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
  for (const action of HOLDER_ACTIONS) {
    const query = new URLSearchParams({ passport: "12", wallet: SHARED.address, want: action });
    await page.goto(`${proof.address}/holder?${query}`);
    assert.equal(await page.isVisible("#wallets"), false);
    await page.click("text=My wallet is a smart contract");
    const letter = (await page.textContent("#letter")) ?? "";
    for (const part of ["Passport 12", SHARED.address, statementOf(action, 12)]) assert.ok(letter.includes(part), part);
  }
  await checkState(page, proof, "Sign to", "letter");
  await page.close();
}

/** The operator decides on the request of a shared wallet. An unknown code says nothing. */
async function awaitOperator(browser: Browser, proof: Proof, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const request = signedRequest(SHARED, { action: "hide", passportId: SHARING[0] }, ENVIRONMENT.PUBLIC_URL);
  const sent = await post(`${proof.address}/holder/requests`, request);
  const { code } = (await sent.json()) as Receipt;
  await waitFor(
    "the review",
    () => stateOf(proof, { code }),
    (state) => state === "review",
  );
  const look = async (code: string, heading: string) => {
    await page.goto(`${proof.address}/holder/requests`);
    await page.fill("#receipt", code);
    await page.click("text=Show my request");
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
  await look("0".repeat(32), "One thing needs correcting.");
  await page.close();
}

async function stateOf({ address }: Proof, { code }: Pick<Receipt, "code">): Promise<string> {
  const response = await post(`${address}/holder/requests/state`, { code });
  return ((await response.json()) as { state: string }).state;
}

const statusOf = async ({ address }: Proof, { passportId }: Way): Promise<number> =>
  (await fetch(`${address}/api/v1/passports/${passportId}`)).status;

/** Checks the page with this heading: axe, keyboard, no scrolling sideways. */
async function checkState(page: Page, proof: Proof, heading: string, name = heading): Promise<void> {
  await page.waitForSelector(`:is(h1, h2):has-text("${heading}")`);
  // Pages of one form are checked once. Their titles differ by the request, and by the time that is left.
  const form = (await page.title()).split(/[:,] | to | in /)[0] as string;
  const isKnownForm = !proof.hasScripts || proof.forms.has(form);
  if (proof.hasScripts) proof.forms.add(form);
  proof.states.push(name);
  if (!isKnownForm) await checkLoaded(page, name);
}
