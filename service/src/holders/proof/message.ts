import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { checksummed, kindOfAddress } from "./address.ts";

export type Wish = "hide" | "show" | "erase";
export const WISHES: readonly Wish[] = ["hide", "show", "erase"];

/** What a holder signs. It is valid for one request, on one server, until it expires. */
export type HolderMessage = {
  /** The host of PUBLIC_URL, with its port if it has one. */
  domain: string;
  /** In canonical form. */
  address: string;
  wish: Wish;
  /** The page has promised that the operator decides. */
  isReviewed: boolean;
  /** Of an erasure: the time until it is carried out. 0 for other wishes. */
  graceSeconds: number;
  uri: string;
  nonce: string;
  /** In whole seconds, as all times of a message. */
  issuedAt: Date;
  expiresAt: Date;
};

export type Promised = Pick<HolderMessage, "wish" | "isReviewed" | "graceSeconds">;

/** The wish in words, with what the page promises. */
export function statementOf({ wish, isReviewed, graceSeconds }: Promised): string {
  const grace = formatGrace(graceSeconds);
  const statements: Readonly<Record<Wish, [now: string, reviewed: string]>> = {
    hide: ["Hide the record of this wallet.", "Ask the operator to hide the record of this wallet."],
    show: ["Show the record of this wallet again.", "Ask the operator to show the record of this wallet again."],
    erase: [
      `Erase the record of this wallet: hidden at once, erased after ${grace}.`,
      `Ask the operator to erase the record of this wallet: then hidden at once, erased after ${grace}.`,
    ],
  };
  return statements[wish][isReviewed ? 1 : 0];
}

const UNITS = [
  ["day", 86_400, 4 * 86_400],
  ["hour", 3_600, 3_600],
  ["minute", 60, 60],
  ["second", 1, 1],
] as const;

/** In the largest unit that needs no fraction: 72 hours, and days from the fourth on, as pages say it. */
function formatGrace(seconds: number): string {
  const [name, size] = UNITS.find(([, size, least]) => seconds >= least && seconds % size === 0) ?? ["second", 1];
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

/** The promise that a statement was written from; null for any other text. */
function parseStatement(statement: string): Promised | null {
  const [, count, unit] = / after (\d{1,7}) (day|hour|minute|second)s?\.$/.exec(statement) ?? [];
  const size = UNITS.find(([name]) => name === unit)?.[1] ?? 0;
  const graceSeconds = size * Number(count ?? 0);
  for (const wish of WISHES) {
    for (const isReviewed of [false, true]) {
      const promised = { wish, isReviewed, graceSeconds };
      if (statementOf(promised) === statement) return promised;
    }
  }
  return null;
}

/**
 * The text to sign: EIP-4361 for an EVM address, and its counterpart of Solana wallets. The chain
 * is fixed, because no chain is involved.
 */
export function composeMessage(message: HolderMessage): string {
  const { domain, address, uri, nonce, issuedAt, expiresAt } = message;
  // Base58 has no digit 0.
  const isEvm = address.startsWith("0x");
  return [
    `${domain} wants you to sign in with your ${isEvm ? "Ethereum" : "Solana"} account:`,
    isEvm ? checksummed(address) : address,
    "",
    statementOf(message),
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
    "(?<statement>[A-Za-z0-9 :,.]{1,160})",
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
  const { domain = "", statement = "", uri = "", nonce = "", issued = "", expires = "" } = parts;
  const address = canonicalWallet(parts.address ?? "");
  const promised = parseStatement(statement);
  const [issuedAt, expiresAt] = [new Date(issued), new Date(expires)];
  const hasTimes = !Number.isNaN(issuedAt.getTime()) && !Number.isNaN(expiresAt.getTime());
  if (promised === null || kindOfAddress(address) === null || !hasTimes) return null;
  const message = { domain, address, ...promised, uri, nonce, issuedAt, expiresAt };
  // A text in any other form, such as an address without its checksum, is not ours.
  return composeMessage(message) === text ? message : null;
}
