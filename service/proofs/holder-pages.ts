import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { DEMO_HOLDER_ID } from "#demo/demo-holder.ts";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { savePeople } from "#people/write/save-people.ts";
import { HOLDER_ENVIRONMENT, post } from "#testing/holder-client.ts";
import { signedRequest } from "#testing/holders.ts";
import { launchBrowser } from "#testing/launch-browser.ts";
import { person } from "#testing/people.ts";
import { administer, dropDatabase, uniqueName, urlOf } from "#testing/server.ts";
import { UNLIMITED } from "#testing/unlimited.ts";
import { evmWallet, solanaWallet } from "#testing/wallets.ts";
import { runCredence, startCredence, startServer, waitFor, withProofDatabase } from "./harness.ts";
import { injectWallet } from "./holder-pages/browser-wallet.ts";
import { checkLayout, checkLoaded, FONT_PX, NARROWEST, PHONE, setFontSize, watch } from "./pages/check-page.ts";

const VIEWPORT = { width: PHONE, height: 844 };
const ENVIRONMENT = {
  ...HOLDER_ENVIRONMENT,
  PUBLIC_URL: "https://credence.example",
  OPERATOR_CONTACT: "ops@credence.example",
  OPT_OUT_KEY: "the key of tombstones, of thirty-two bytes",
};

/** The browser reports pages about mistakes, and those of hidden people. */
const isFault = (text: string): boolean => !/a status of 40[04]/.test(text);

type Proof = {
  browser: Browser;
  /** Where pictures of the pages are saved; null for none. */
  folder: string | null;
  /** Pages that were seen, in their order. */
  states: string[];
};

/**
 * Holders hide, show and erase records on the pages, and cancel an erasure, on a phone, with and without scripts:
 * each with one signature, to whose result the browser gets by itself. Then the wallets and mistakes that the demo
 * does not have, on a server of its own.
 */
export async function proveHolderPages(folder: string | null = null) {
  const browser = await launchBrowser();
  const proof: Proof = { browser, folder, states: [] };
  try {
    await useServer(proof);
    await useDemo(proof);
    return { states: proof.states };
  } finally {
    await browser.close();
  }
}

async function useDemo(proof: Proof): Promise<void> {
  const name = uniqueName();
  const url = urlOf(name);
  const demo = startCredence(["demo", "--port", "0"], { DATABASE_URL: url, PRIVATE_PORT: "0", ...UNLIMITED });
  try {
    let output = "";
    demo.process.stdout?.on("data", (chunk) => (output += chunk));
    const linkIn = (): string => /^ +(http:\S+\/holder\?\S+)$/m.exec(output)?.[1] ?? "";
    await waitFor("the link to the holder's page", linkIn, (link) => link !== "");
    for (const javaScriptEnabled of [true, false]) await useAllWishes(proof, linkIn(), { javaScriptEnabled });
    await checkServeCannotSign(url);
  } finally {
    demo.process.kill("SIGINT");
    await demo.ended;
    await administer((admin) => dropDatabase(admin, name));
  }
}

/** From one page to the next, as the buttons lead. */
async function useAllWishes(proof: Proof, link: string, options: BrowserContextOptions): Promise<void> {
  const hasScripts = options.javaScriptEnabled === true;
  const page = await proof.browser.newPage({ viewport: VIEWPORT, ...options });
  const { origin } = new URL(link);
  const faults = watch(page, origin);
  const reach = (heading: string, name: string) => look(page, proof, heading, hasScripts ? name : null);
  /** Within moments: nodes are told of changes. */
  const answers = (status: number) =>
    waitFor(
      `V1 to answer ${status}`,
      async () => (await fetch(`${origin}/api/v1/passports/${DEMO_HOLDER_ID}`)).status,
      (found) => found === status,
    );
  const sign = async (heading: string, name: string) => {
    const [response] = await Promise.all([
      page.waitForResponse((found) => found.request().method() === "POST"),
      page.click('button:has-text("Sign with the demo wallet")'),
    ]);
    // No page on the way that waits.
    assert.equal(response.status(), 303);
    await reach(heading, name);
  };
  const ask = async (wish: string) => {
    await reach("Your record", "form");
    await page.check(`[name=want][value=${wish}]`);
    await page.click("text=Continue");
    await reach("Sign to", `sign-${wish}`);
  };
  await page.goto(link);
  await ask("hide");
  await sign("Done: your record is hidden", "hidden");
  await answers(404);
  // The browser keeps this page for a while.
  await page.goto(`${origin}/passports/${DEMO_HOLDER_ID}`);
  await page.goBack();
  // The next wish of the same wallet leads straight to its text.
  await page.click("text=Show it again");
  await reach("Sign to", "sign-show");
  await sign("Done: your record is shown again", "shown");
  await answers(200);
  await page.click("text=Open passport");
  await page.waitForSelector('h1:has-text("Sophie Owusu")');
  await page.goto(link);
  await ask("erase");
  await sign("Hidden now, erased in", "waiting");
  await answers(404);
  // The tab is closed; the address of the request is opened elsewhere.
  const elsewhere = await proof.browser.newPage({ viewport: VIEWPORT, ...options });
  await elsewhere.goto(page.url());
  await page.close();
  await elsewhere.waitForSelector('h1:has-text("Hidden now, erased in")');
  await elsewhere.click("text=Cancel the erasure");
  await elsewhere.click('button:has-text("Sign with the demo wallet")');
  await look(elsewhere, proof, "Done: your record is shown again", null);
  await answers(200);
  await elsewhere.click("text=Open passport");
  await elsewhere.waitForSelector('h1:has-text("Sophie Owusu")');
  await elsewhere.close();
  assert.deepEqual(faults.filter(isFault), []);
}

/** `serve` on the same database has neither the key nor the route. */
async function checkServeCannotSign(url: string): Promise<void> {
  const server = await startServer(url, ENVIRONMENT);
  try {
    const answer = await post(`${server.address}/holder/demo-signature`, { message: "a text" });
    assert.equal(answer.status, 404);
    assert.ok(!(await (await fetch(`${server.address}/holder`)).text()).includes("demo"));
  } finally {
    await server.stop();
  }
}

/** A wallet in the browser, pasted signatures, mistakes, the operator, and an erasure to its end. */
function useServer(proof: Proof): Promise<void> {
  return withProofDatabase(async ({ url, database }) => {
    const [main, other, further] = [evmWallet("main"), evmWallet("other"), solanaWallet("further")];
    await savePeople(database, [
      person(1, { main_wallet: main.address }),
      person(2, { verified_wallets: [further.address] }),
      person(3, { verified_wallets: [further.address] }),
    ]);
    await refreshStanding(database);
    const settings = { ...ENVIRONMENT, DATABASE_URL: url };
    const server = await startServer(url, settings);
    let worker = startCredence(["work"], settings);
    const page = await proof.browser.newPage({ viewport: VIEWPORT });
    await injectWallet(page, main, true);
    const faults = watch(page, server.address);
    const reach = (heading: string, name: string | null) => look(page, proof, heading, name);
    const open = (wish: string, { address }: { address: string }) =>
      page.goto(`${server.address}/holder?${new URLSearchParams({ want: wish, wallet: address })}`);
    const paste = async (signature: string) => {
      // A script folds the form if there is a wallet in the browser.
      await page.waitForLoadState();
      if (!(await page.isVisible("#signature"))) await page.click("text=Sign elsewhere, and paste");
      await page.fill("#signature", signature);
      await page.click("text=Send signature");
    };
    const textToSign = async () => (await page.textContent("#message")) ?? "";
    try {
      await page.goto(`${server.address}/holder?want=hide&wallet=0x12`);
      await reach("Your record", "form-wrong");
      // The wallet declines once.
      await open("hide", main);
      await page.click("text=Test wallet");
      await page.getByText("You declined. Nothing was sent.").waitFor();
      await reach("Sign to hide", "sign-browser-wallet");
      await page.click("text=Test wallet");
      await reach("Done: your record is hidden", "hidden-server");
      await open("show", main);
      await paste("0x1234");
      await reach("Sign to show", "signature-incomplete");
      await paste(other.sign(await textToSign()));
      await reach("Sign to show", "signature-of-another-wallet");
      await paste(main.sign(await textToSign()));
      await reach("Done: your record is shown again", null);
      const { message } = signedRequest(main, "hide", {
        publicUrl: ENVIRONMENT.PUBLIC_URL,
        now: new Date(Date.now() - 660_000),
      });
      await open("hide", main);
      const field = page.locator("#send [name=message]");
      await field.evaluate((input: object, text) => Reflect.set(input, "value", text), message);
      await paste(main.sign(message));
      await page.waitForSelector('h2:has-text("The 10 minutes are over")');
      await reach("Sign to hide", "text-expired");
      assert.notEqual(await textToSign(), message, "A new text is there to sign.");
      await open("hide", further);
      await reach("Sign to hide", "sign-paste");
      await paste(further.sign(await textToSign()));
      await reach("The operator decides", "review");
      const review = page.url();
      const { rows } = await database.query("select request_id from holder_request where state = 'review'");
      const refusal = ["--reason", "Another person has this wallet too", "--yes"];
      await runCredence(["requests", "refuse", String(rows[0]?.request_id), ...refusal], settings);
      await page.goto(review);
      await reach("Not carried out", "refused");
      await open("hide", other);
      await paste(other.sign(await textToSign()));
      await reach("Not carried out", "refused-unlisted");
      await page.goto(`${server.address}/holder/requests/${"0".repeat(32)}`);
      await reach("No such request", "unknown");
      await open("erase", main);
      await page.click("text=Test wallet");
      await reach("Hidden now, erased in", null);
      await database.query("update holder_request set due_at = now() where state = 'waiting'");
      await database.query("select pg_notify('credence_work', '')");
      await waitFor(
        "the erasure",
        async () => (await database.query("select from person where passport_id = 1")).rowCount === 0,
      );
      await page.reload();
      await reach("Done: your record is erased", "erased");
      worker.process.kill("SIGTERM");
      await worker.ended;
      await open("hide", further);
      await paste(further.sign(await textToSign()));
      await reach("We look for your record", "received");
      worker = startCredence(["work"], settings);
      // By itself.
      await reach("The operator decides", null);
      assert.deepEqual(faults.filter(isFault), []);
    } finally {
      worker.process.kill("SIGTERM");
      await Promise.all([worker.ended, server.stop(), page.close()]);
    }
  });
}

/** Waits for the page with this heading, and checks and pictures it once, if it has a name. */
async function look(page: Page, { states, folder }: Proof, heading: string, name: string | null): Promise<void> {
  await page.waitForSelector(`h1:has-text("${heading}")`);
  assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), heading);
  const isNew = name !== null && !states.includes(name);
  states.push(name ?? heading);
  if (!isNew) return;
  if (folder !== null) await takePictures(page, join(folder, name));
  // It loads itself again, so it is looked at for a moment only.
  if (name === "received") return;
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await checkLoaded(page, `${name}, ${colorScheme}`);
  }
  await page.setViewportSize({ ...VIEWPORT, width: NARROWEST });
  await checkLayout(page, `${name} at ${NARROWEST} px`);
  await page.setViewportSize(VIEWPORT);
  await setFontSize(page, 2 * FONT_PX);
  await checkLayout(page, `${name} with large letters`);
  await setFontSize(page, FONT_PX);
}

async function takePictures(page: Page, path: string): Promise<void> {
  for (const width of [1280, PHONE]) {
    await page.setViewportSize({ ...VIEWPORT, width });
    await page.screenshot({ path: `${path}-${width}.png`, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: "dark" });
  await page.screenshot({ path: `${path}-dark.png`, fullPage: true });
  await page.emulateMedia({ colorScheme: "light" });
}
