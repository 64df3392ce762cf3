import type { Page } from "playwright-core";
import type { TestWallet } from "#testing/wallets.ts";

/**
 * Adds a wallet to a page as a browser extension does: it announces itself (EIP-6963) and signs
 * with a real key (EIP-1193). It declines the first request if `declinesOnce`.
 */
export async function injectWallet(page: Page, wallet: TestWallet, declinesOnce = false): Promise<void> {
  let declines = declinesOnce;
  await page.exposeFunction("signWithKey", (hex: string) => {
    if (!declines) return wallet.sign(Buffer.from(hex.slice(2), "hex").toString());
    declines = false;
    return null;
  });
  await page.addInitScript(`{
    const request = async ({ method, params }) => {
      if (method === "eth_requestAccounts") return [${JSON.stringify(wallet.address.replace("a", "A"))}];
      const signature = await window.signWithKey(params[0]);
      if (signature === null) throw Object.assign(new Error("declined"), { code: 4001 });
      return signature;
    };
    const info = { uuid: "8b4f0f6e-0000-4000-8000-000000000000", name: "Test wallet", icon: "data:,", rdns: "example.wallet" };
    const detail = Object.freeze({ info: Object.freeze(info), provider: { request } });
    const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    window.addEventListener("eip6963:requestProvider", announce);
    announce();
  }`);
}
