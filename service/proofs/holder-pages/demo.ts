import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { DEMO_HOLDER_ID } from "#demo/demo-holder.ts";
import { HOLDER_ENVIRONMENT, post } from "#testing/holder-client.ts";
import { administer, dropDatabase, uniqueName, urlOf } from "#testing/server.ts";
import { UNLIMITED } from "#testing/unlimited.ts";
import { startCredence, startServer, waitFor } from "../harness.ts";
import { watch } from "../pages/check-page.ts";

/** On a phone, all five actions in `credence demo`, signed with its wallet, from one page to the next. */
export async function useDemo(browser: Browser): Promise<string[]> {
  const name = uniqueName();
  const url = urlOf(name);
  const demo = startCredence(["demo", "--port", "0"], { DATABASE_URL: url, PRIVATE_PORT: "0", ...UNLIMITED });
  try {
    let output = "";
    demo.process.stdout?.on("data", (chunk) => (output += chunk));
    const linkIn = (): string => /^ +(http:\S+\/holder\?\S+)$/m.exec(output)?.[1] ?? "";
    await waitFor("the link to the holder's page", linkIn, (link) => link !== "");
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    const faults = watch(page, new URL(linkIn()).origin);
    await page.goto(linkIn());
    const states = await useAllActions(page);
    assert.deepEqual(faults, []);
    await page.close();
    await checkServeCannotSign(url);
    return states;
  } finally {
    demo.process.kill("SIGINT");
    await demo.ended;
    await administer((admin) => dropDatabase(admin, name));
  }
}

async function useAllActions(page: Page): Promise<string[]> {
  const states: string[] = [];
  const sign = async (heading: string) => {
    await page.click('button:has-text("Sign with the demo wallet")');
    const reached = page.locator(`h1:has-text("${heading}")`);
    const checking = page.locator('h1:has-text("We check your wallet")');
    await waitFor(`the page "${heading}"`, async () => {
      await reached.or(checking).waitFor();
      if (await reached.isVisible()) return true;
      await page.click("text=Load again");
      return false;
    });
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= 390"), heading);
    states.push(heading);
  };
  await page.check("[name=want][value=see]");
  await page.click("text=Continue");
  await sign("What is stored about you");
  assert.ok((await page.innerText("main")).includes("Sophie Owusu"));
  await page.click("text=Hide it");
  await sign("Done: your record is hidden");
  await page.click("text=Show it again");
  await sign("Done: your record is shown again");
  await page.click("text=Hide it");
  await page.click("text=Back");
  await page.check("[name=want][value=erase]");
  await page.click("text=Continue");
  await sign("Hidden now, erased in");
  // Without the receipt: the note of the demo has the wallet, which is not public any more.
  await page.goto(new URL("/holder/requests", page.url()).href);
  await page.click("text=I lost the receipt");
  await page.click("text=sign again with the same wallet");
  await page.fill("#passport", String(DEMO_HOLDER_ID));
  const wallet = new URL((await page.getAttribute(".note a", "href")) ?? "", page.url()).searchParams.get("wallet");
  await page.fill("#wallet", wallet ?? "");
  await page.click("text=Continue");
  await sign("Done: your requests are cancelled");
  await page.click("text=Open passport");
  await page.waitForSelector('h1:has-text("Sophie Owusu")');
  return states;
}

/** `serve` on the same database has neither the key nor the route. */
async function checkServeCannotSign(url: string): Promise<void> {
  const server = await startServer(url, { ...HOLDER_ENVIRONMENT, PUBLIC_URL: "https://credence.example" });
  try {
    const answer = await post(`${server.address}/holder/demo-signature`, { message: "a text" });
    assert.equal(answer.status, 404);
    const page = await (await fetch(`${server.address}/holder?passport=${DEMO_HOLDER_ID}`)).text();
    assert.ok(page.includes("Sophie Owusu") && !page.includes("demo"));
  } finally {
    await server.stop();
  }
}
