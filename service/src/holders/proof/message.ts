import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { checksummed, kindOfAddress } from "./address.ts";

export type HolderAction = "hide" | "unhide" | "erase" | "see" | "withdraw";

/** What a holder signs. It is valid for one request, on one server, until it expires. */
export type HolderMessage = {
  /** The host of PUBLIC_URL, with its port if it has one. */
  domain: string;
  /** In canonical form. */
  address: string;
  action: HolderAction;
  passportId: number;
  uri: string;
  nonce: string;
  /** In whole seconds, as all times of a message. */
  issuedAt: Date;
  expiresAt: Date;
};

const STATEMENTS: Readonly<Record<HolderAction, readonly [before: string, after: string]>> = {
  hide: ["Hide passport ", "."],
  unhide: ["Show passport ", " again."],
  erase: ["Erase passport ", "."],
  see: ["Prepare everything stored about passport ", " for its holder."],
  withdraw: ["Withdraw open requests about passport ", "."],
};

export const HOLDER_ACTIONS = Object.keys(STATEMENTS) as HolderAction[];

/** The request in words, as it is signed and shown. */
export function statementOf(action: HolderAction, passportId: number): string {
  const [before, after] = STATEMENTS[action];
  return `${before}${passportId}${after}`;
}

/**
 * The text to sign: EIP-4361 for an EVM address, and its counterpart of Solana wallets. The chain
 * is fixed, because no chain is involved.
 */
export function composeMessage(message: HolderMessage): string {
  const { domain, address, action, passportId, uri, nonce, issuedAt, expiresAt } = message;
  // Base58 has no digit 0.
  const isEvm = address.startsWith("0x");
  return [
    `${domain} wants you to sign in with your ${isEvm ? "Ethereum" : "Solana"} account:`,
    isEvm ? checksummed(address) : address,
    "",
    statementOf(action, passportId),
    "",
    `URI: ${uri}`,
    "Version: 1",
    `Chain ID: ${isEvm ? "1" : "mainnet"}`,
    `Nonce: ${nonce}`,
    `Issued At: ${formatTime(issuedAt)}`,
    `Expiration Time: ${formatTime(expiresAt)}`,
  ].join("\n");
}

const formatTime = (time: Date): string => time.toISOString().replace(/\.\d{3}Z$/, "Z");

const PATTERN = new RegExp(
  [
    "^(?<domain>[!-~]{1,260}) wants you to sign in with your (?:Ethereum|Solana) account:",
    "(?<address>[0-9A-Za-z]{32,44})",
    "",
    "(?<before>[A-Za-z ]{1,60} )(?<id>[1-9][0-9]{0,15})(?<after>[a-z .]{1,20})",
    "",
    "URI: (?<uri>[!-~]{1,2000})",
    "Version: 1",
    "Chain ID: (?:1|mainnet)",
    "Nonce: (?<nonce>[0-9a-f]{16,64})",
    "Issued At: (?<issued>[0-9TZ:-]{20})",
    "Expiration Time: (?<expires>[0-9TZ:-]{20})$",
  ].join("\n"),
);

/** Parses a text that `composeMessage` could have written. Returns null for any other text. */
export function parseMessage(text: string): HolderMessage | null {
  const parts = PATTERN.exec(text)?.groups;
  if (parts === undefined) return null;
  const { domain = "", address = "", before, id, after, uri = "", nonce = "", issued = "", expires = "" } = parts;
  const action = HOLDER_ACTIONS.find((name) => STATEMENTS[name][0] === before && STATEMENTS[name][1] === after);
  const passportId = Number(id);
  const canonical = canonicalWallet(address);
  const issuedAt = new Date(issued);
  const expiresAt = new Date(expires);
  const isComplete =
    action !== undefined &&
    Number.isSafeInteger(passportId) &&
    kindOfAddress(canonical) !== null &&
    !Number.isNaN(issuedAt.getTime()) &&
    !Number.isNaN(expiresAt.getTime());
  if (!isComplete) return null;
  const message = { domain, address: canonical, action, passportId, uri, nonce, issuedAt, expiresAt };
  // A text in any other form, such as an address without its checksum, is not ours.
  return composeMessage(message) === text ? message : null;
}
