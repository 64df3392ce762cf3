import { issueMessage } from "#holders/proof/issue-message.ts";
import type { HolderAction } from "#holders/proof/message.ts";
import { HOLDER_KEY } from "./holders.ts";
import type { TestWallet } from "./wallets.ts";

/** `on`: the worker acts without the operator. */
export const HOLDER_ENVIRONMENT = { HOLDER_REQUESTS: "on", HOLDER_KEY };

export type Wish = { action: HolderAction; passportId: number };

/** The body of a request as a holder sends it to the server at this public URL. */
export function signedRequest(
  wallet: TestWallet,
  wish: Wish,
  publicUrl = "https://v1.example",
  now = new Date(),
  key = HOLDER_KEY,
) {
  const subject = { ...wish, domain: new URL(publicUrl).host, uri: `${publicUrl}/holder`, address: wallet.address };
  const message = issueMessage(key, subject, now);
  return { message, signature: wallet.sign(message) };
}

export const post = (url: string, body: Record<string, string>, as: "form" | "json" = "json"): Promise<Response> =>
  fetch(url, {
    method: "POST",
    redirect: "manual",
    ...(as === "form"
      ? { body: new URLSearchParams(body) }
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
