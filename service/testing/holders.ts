import type { HolderSettings } from "#holders/manage/settings.ts";
import { codeOf, issueMessage } from "#holders/proof/issue-message.ts";
import { type Promised, parseMessage, type Wish } from "#holders/proof/message.ts";
import type { NewRequest } from "#holders/serve/requests.ts";
import { OPT_OUT_KEY } from "./import-lines.ts";
import type { TestWallet } from "./wallets.ts";

export const HOLDER_KEY = "a secret of requests of holders for tests";
export const GRACE_SECONDS = 72 * 3_600;

/** Requests are carried out at once. */
export const HOLDERS_ON: HolderSettings = {
  mode: "on",
  domain: "v1.example",
  keys: [HOLDER_KEY],
  optOutKey: OPT_OUT_KEY,
  optOutKeys: [OPT_OUT_KEY],
  graceMs: GRACE_SECONDS * 1_000,
};

export type Signing = Partial<Promised> & { publicUrl?: string; now?: Date; key?: string };

/** The body of a request: a text as a server issues it, and its signature. */
export function signedRequest(
  { address, sign }: TestWallet,
  wish: Wish,
  { publicUrl = "https://v1.example", now = new Date(), key = HOLDER_KEY, ...promised }: Signing = {},
) {
  const { host: domain } = new URL(publicUrl);
  const graceSeconds = wish === "erase" ? GRACE_SECONDS : 0;
  const subject = { domain, uri: `${publicUrl}/holder`, address, wish, isReviewed: false, graceSeconds, ...promised };
  const message = issueMessage(key, subject, now);
  return { message, signature: sign(message) };
}

/** A request as a serving node passes it on, signed with the wallet. */
export function signRequest(wallet: TestWallet, wish: Wish, signing: Signing = {}): NewRequest {
  const signed = signedRequest(wallet, wish, signing);
  const { nonce = "" } = parseMessage(signed.message) ?? {};
  const code = codeOf(signing.key ?? HOLDER_KEY, signed.message);
  return { wish, address: wallet.address, code, nonce, ...signed };
}
