import { signedRequest } from "#testing/holders.ts";
import { evmWallet, solanaWallet } from "#testing/wallets.ts";
import { PUBLIC_URL, requestOf } from "./kinds.ts";

/** One in this number is an EVM wallet: to check its signature takes a node far longer. */
const EVM_EVERY = 10;

/** A valid request of a wallet that is used once, and that no record lists. */
export function throwAwayRequest(at: number): string {
  const wallet = at % EVM_EVERY === 0 ? evmWallet(`throw-away ${at}`) : solanaWallet(`throw-away ${at}`);
  return requestOf(signedRequest(wallet, at % 2 === 0 ? "hide" : "erase", { publicUrl: PUBLIC_URL }), false);
}
