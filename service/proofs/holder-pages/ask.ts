import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import type { HolderAction } from "#holders/proof/message.ts";
import type { TestWallet } from "#testing/wallets.ts";

/** `file`: the text to keep. */
export type Receipt = { code: string; secret: string; file: string };

/** How a holder signs, and for which passport. */
export type Way = {
  name: "wallet in the browser" | "without scripts";
  passportId: number;
  wallet: TestWallet;
  width: number;
};

type Asking = {
  way: Way;
  action: HolderAction;
  /** Called on each new page of the way. */
  onPage: (heading: string, name: string) => Promise<void>;
};

/** From the form to the receipt. */
export async function askFor(page: Page, asking: Asking): Promise<Receipt> {
  const { way, action, onPage } = asking;
  await fillForm(page, asking);
  await onPage("Sign to", `text-${action}`);
  await (way.name === "wallet in the browser" ? signInBrowser(page) : paste(page, asking));
  await page.waitForSelector("#kept-code", { state: "attached" });
  await onPage("We check your wallet", `receipt-${action}`);
  const code = (await page.textContent("#kept-code")) ?? "";
  const secret = action === "see" ? ((await page.textContent("#kept-secret")) ?? "") : "";
  return { code, secret, file: await keepReceipt(page, code, secret) };
}

/** A record that is hidden is found by its number only. */
async function fillForm(page: Page, { way, action, onPage }: Asking): Promise<void> {
  await page.fill("#wallet", way.wallet.address);
  if (action !== "withdraw") await page.check(`[name=want][value=${action}]`);
  if (action === "unhide" || action === "withdraw") {
    await page.fill("#passport", "twelve");
    await page.click("text=Continue");
    await onPage("One thing needs correcting.", "wrong-number");
    assert.equal(await page.inputValue("#wallet"), way.wallet.address);
    await page.fill("#passport", String(way.passportId));
  }
  await page.click("text=Continue");
}

/** The wallet declines once. */
async function signInBrowser(page: Page): Promise<void> {
  const sign = page.getByRole("button", { name: "Test wallet" });
  await sign.click();
  const declined = page.getByText("You declined. Nothing was sent.");
  const received = page.getByText("We check your wallet");
  await declined.or(received).first().waitFor();
  if (await declined.isVisible()) await sign.click();
}

async function paste(page: Page, { way, action, onPage }: Asking): Promise<void> {
  const text = (await page.textContent("#message")) ?? "";
  const send = page.locator("#send button");
  if (action === "hide") {
    await page.fill("#signature", "0x1234");
    await send.click();
    await onPage("One thing needs correcting.", "wrong-signature");
    assert.equal(await page.inputValue("#signature"), "0x1234");
  }
  await page.fill("#signature", ` ${way.wallet.sign(text)}\n`);
  await send.click();
}

async function keepReceipt(page: Page, code: string, secret: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save the receipt")]);
  const file = await readFile(await download.path(), "utf8");
  assert.ok(file.includes(code) && file.includes(secret));
  return file;
}
