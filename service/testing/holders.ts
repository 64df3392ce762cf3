import type { HolderSettings } from "#operations/holder-requests/settings.ts";
import { issueMessage } from "#ownership/issue-message.ts";
import { type HolderAction, parseMessage } from "#ownership/message.ts";
import type { NewRequest } from "#store/holder-requests/serve-requests.ts";
import { OPT_OUT_KEY } from "./import-lines.ts";
import type { TestWallet } from "./wallets.ts";

export const HOLDER_KEY = "a secret of holders' requests, for tests";

/** Requests are carried out at once. */
export const HOLDERS_ON: HolderSettings = {
  mode: "on",
  domain: "v1.example",
  key: HOLDER_KEY,
  optOutKey: OPT_OUT_KEY,
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
  return { action, passportId, address, message, signature: wallet.sign(message), nonce };
}
