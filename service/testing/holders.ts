import type { HolderSettings } from "#holders/manage/settings.ts";
import { issueMessage } from "#holders/proof/issue-message.ts";
import { type HolderAction, parseMessage } from "#holders/proof/message.ts";
import { receiptCode } from "#holders/proof/verify-request.ts";
import type { NewRequest } from "#holders/serve/serve-requests.ts";
import { OPT_OUT_KEY } from "./import-lines.ts";
import type { TestWallet } from "./wallets.ts";

export const HOLDER_KEY = "a secret of requests of holders for tests";

/** Requests are carried out at once. */
export const HOLDERS_ON: HolderSettings = {
  mode: "on",
  publicUrl: "https://v1.example",
  domain: "v1.example",
  keys: [HOLDER_KEY],
  optOutKey: OPT_OUT_KEY,
  optOutKeys: [OPT_OUT_KEY],
  graceMs: 72 * 3_600_000,
};

/** A request as a serving node passes it on, signed with the wallet. */
export function signRequest(
  wallet: TestWallet,
  action: HolderAction,
  passportId: number,
  now = new Date(),
): NewRequest {
  const { address } = wallet;
  const uri = "https://v1.example/holder";
  const message = issueMessage(HOLDER_KEY, { domain: HOLDERS_ON.domain, address, action, passportId, uri }, now);
  const { nonce = "" } = parseMessage(message) ?? {};
  const code = receiptCode(HOLDER_KEY, message);
  const promise = { mode: "on", graceMs: 0 } as const;
  return { action, passportId, address, code, message, signature: wallet.sign(message), nonce, ...promise };
}
