import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { base58 } from "@scure/base";
import { type RequestFault, VALID_MS } from "#holders/proof/issue-message.ts";
import { WISHES, type Wish } from "#holders/proof/message.ts";
import { type Signing, signedRequest } from "./holders.ts";
import type { TestWallet } from "./wallets.ts";

export const KEY = "the key of all nodes of this server";
export const DOMAIN = "credence.example";
export const NOW = new Date("2026-11-16T12:00:00Z");

/** A valid request before it is changed: its holder, another person, and what is asked for. */
export type Subject = {
  holder: TestWallet;
  other: TestWallet;
  wish: Wish;
  random: number;
  /** In whole seconds; by default NOW. */
  now?: Date;
};

type Attempt = { text: string; signature: string };

/** `fault`: what the server has to answer; null if the request is valid. */
export type Mutation = { fault: RequestFault | null; only?: "evm" | "solana"; attempt: (subject: Subject) => Attempt };

type Change = Partial<Signing> & { holder?: TestWallet; ageMs?: number; wish?: Wish };

function issue(subject: Subject, { holder = subject.holder, ageMs = 0, wish = subject.wish, ...change }: Change = {}) {
  const now = new Date((subject.now ?? NOW).getTime() - ageMs);
  return signedRequest(holder, wish, { key: KEY, publicUrl: `https://${DOMAIN}`, now, ...change }).message;
}

/** The holder signs what is sent: only the check of the message can reject it. */
const signed = (holder: TestWallet, text: string): Attempt => ({ text, signature: holder.sign(text) });

const issued = (fault: RequestFault | null, change: (subject: Subject) => Change): Mutation => ({
  fault,
  attempt: (subject) => signed(subject.holder, issue(subject, change(subject))),
});

/** A text of this server, changed by the holder before signing. */
const changed = (
  fault: RequestFault,
  change: (text: string, subject: Subject) => string,
  only?: "evm" | "solana",
): Mutation => ({
  fault,
  ...(only && { only }),
  attempt: (subject) => signed(subject.holder, change(issue(subject), subject)),
});

/** A valid text whose signature is changed. */
const resigned = (
  only: "evm" | "solana" | undefined,
  change: (signature: string, subject: Subject, text: string) => string,
): Mutation => ({
  fault: "signature",
  ...(only && { only }),
  attempt: (subject) => {
    const text = issue(subject);
    return { text, signature: change(subject.holder.sign(text), subject, text) };
  },
});

const nextWish = (wish: Wish) => WISHES[(WISHES.indexOf(wish) + 1) % WISHES.length] as Wish;
const nonceOf = (text: string) => /Nonce: (\w+)/.exec(text)?.[1] ?? "";
const flipDigit = (hex: string, index: number) =>
  hex.slice(0, index) + (hex[index] === "0" ? "1" : "0") + hex.slice(index + 1);
const bytesOf = (signature: string) => Buffer.from(signature.slice(2), "hex");
const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;

const VALID: Record<string, Mutation> = {
  valid: issued(null, () => ({})),
  "valid, in its last second": issued(null, () => ({ ageMs: VALID_MS - 1_000 })),
  "valid, of a node whose clock is ahead": issued(null, ({ random }) => ({ ageMs: -(random % 30) * 1_000 })),
};

const MESSAGES: Record<string, Mutation> = {
  "the address of another wallet": {
    fault: "signature",
    attempt: (subject) => signed(subject.holder, issue(subject, { holder: subject.other })),
  },
  "the address, changed by its holder": changed("nonce", (text, { holder, other }) =>
    replaceAddress(text, holder, other),
  ),
  "another domain": issued("domain", () => ({ publicUrl: "https://credence.example.org" })),
  "another domain, same key and port": issued("domain", () => ({ publicUrl: `https://${DOMAIN}:8443` })),
  "a homograph domain in Cyrillic": changed("form", (text) => text.replace("credence", "сredence")),
  "a homograph domain in punycode": issued("domain", () => ({ publicUrl: "https://xn--redence-59f.example" })),
  "a domain in upper case": changed("domain", (text) => text.replace(DOMAIN, DOMAIN.toUpperCase())),
  "another URI": changed("nonce", (text) => text.replace("/holder", "/other")),
  "a nonce of another server": issued("nonce", () => ({ key: "another key" })),
  "a nonce with a changed digit": changed("nonce", (text, { random }) =>
    text.replace(nonceOf(text), flipDigit(nonceOf(text), random % 48)),
  ),
  "a nonce of another message": changed("nonce", (text, subject) =>
    text.replace(nonceOf(text), nonceOf(issue(subject, { ageMs: 1_000 }))),
  ),
  "a nonce cut short": changed("nonce", (text) => text.replace(nonceOf(text), nonceOf(text).slice(0, 32))),
  "a nonce in upper case": changed("form", (text) => text.replace(nonceOf(text), `A${nonceOf(text).slice(1)}`)),
  "the statement of another wish": changed("nonce", (text, subject) =>
    text.replace(lineOf(text), lineOf(issue(subject, { wish: nextWish(subject.wish) }))),
  ),
  "another statement": changed("form", (text) => text.replace(lineOf(text), "Sign in.")),
  "a promise that the operator decides": changed("nonce", (text, subject) =>
    text.replace(lineOf(text), lineOf(issue(subject, { isReviewed: true }))),
  ),
  "a shorter grace period": {
    fault: "nonce",
    attempt: (subject) => {
      const text = issue(subject, { wish: "erase" });
      return signed(subject.holder, text.replace("after 72 hours", "after 1 second"));
    },
  },
  "a grace period with a leading zero": {
    fault: "form",
    attempt: (subject) => {
      const text = issue(subject, { wish: "erase" });
      return signed(subject.holder, text.replace("after 72 hours", "after 072 hours"));
    },
  },
  "another chain": changed("form", (text, { random }) =>
    text.replace(/Chain ID: \w+/, `Chain ID: ${2 + (random % 100_000)}`),
  ),
  expired: issued("expired", ({ random }) => ({ ageMs: VALID_MS + (random % 100_000) * 1_000 })),
  "a later expiry": changed("nonce", (text) =>
    text.replace(/Expiration Time: .*/, "Expiration Time: 2027-11-16T12:00:00Z"),
  ),
  "a later issue time": {
    fault: "nonce",
    attempt: (subject) =>
      signed(
        subject.holder,
        issue(subject, { ageMs: VALID_MS * 2 }).replace(
          /Issued At: .*/,
          /Issued At: .*/.exec(issue(subject))?.[0] ?? "",
        ),
      ),
  },
  "from the future": issued("early", ({ random }) => ({ ageMs: -(31 + (random % 100_000)) * 1_000 })),
  "line endings of Windows": changed("form", (text) => text.replaceAll("\n", "\r\n")),
  "a space at the end": changed("form", (text) => `${text} `),
  "an invisible character": changed("form", (text) => text.replace("record", "rec\u200bord")),
};

const SIGNATURES: Record<string, Mutation> = {
  "the signature of another wallet": resigned(undefined, (_signature, { other }, text) => other.sign(text)),
  "the signature of another text": resigned(undefined, (_signature, subject) => subject.holder.sign(issue(subject))),
  "a changed bit": resigned(undefined, (signature, { random }) => flipBit(signature, random)),
  "high s": resigned("evm", highS),
  "the other recovery id": resigned(
    "evm",
    (signature) => signature.slice(0, -2) + (signature.endsWith("1b") ? "1c" : "1b"),
  ),
  "recovery id of a hardware wallet, not normalised": resigned(
    "evm",
    (signature) => signature.slice(0, -2) + (signature.endsWith("1b") ? "00" : "01"),
  ),
  "recovery id of EIP-155": resigned(
    "evm",
    (signature) => signature.slice(0, -2) + (signature.endsWith("1b") ? "25" : "26"),
  ),
  "upper case": resigned("evm", (signature) => signature.toUpperCase().replace("0X", "0x")),
  "no prefix": resigned("evm", (signature) => signature.slice(2)),
  "compact form of EIP-2098": resigned("evm", compact),
  "DER form": resigned("evm", (signature) =>
    hexOf(secp256k1.Signature.fromBytes(bytesOf(signature).subarray(0, 64)).toBytes("der")),
  ),
  "base64 of an EVM signature": resigned("evm", (signature) => bytesOf(signature).toString("base64")),
  "a byte too many": resigned("evm", (signature) => `${signature}00`),
  "S plus the order of the group": resigned("solana", addOrder),
  "base64 of a Solana signature, not normalised": resigned("solana", (signature) =>
    Buffer.from(base58.decode(signature)).toString("base64"),
  ),
  "a leading 1": resigned("solana", (signature) => `1${signature}`),
  "space around it": resigned(undefined, (signature) => ` ${signature}`),
  empty: resigned(undefined, () => ""),
};

export const MUTATIONS: Readonly<Record<string, Mutation>> = { ...VALID, ...MESSAGES, ...SIGNATURES };

const lineOf = (text: string): string => text.split("\n")[3] ?? "";

/** In the form of the text of the other person. */
function replaceAddress(text: string, holder: TestWallet, other: TestWallet): string {
  const theirs = signedRequest(other, "hide").message;
  return holder.address.startsWith("0x")
    ? text.replace(/^0x.*$/m, theirs.split("\n")[1] ?? "")
    : text.replace(holder.address, other.address);
}

function flipBit(signature: string, random: number): string {
  if (!signature.startsWith("0x")) {
    const bytes = base58.decode(signature);
    bytes[random % 64] = (bytes[random % 64] ?? 0) ^ (1 << (random % 8));
    return base58.encode(bytes);
  }
  const bytes = bytesOf(signature);
  bytes[random % 64] = (bytes[random % 64] ?? 0) ^ (1 << (random % 8));
  return hexOf(bytes);
}

/** The second signature that anybody can compute from the first one. */
function highS(signature: string): string {
  const bytes = bytesOf(signature);
  const s = BigInt(hexOf(bytes.subarray(32, 64)));
  const high = (secp256k1.Point.CURVE().n - s).toString(16).padStart(64, "0");
  return `${signature.slice(0, 66)}${high}${signature.endsWith("1b") ? "1c" : "1b"}`;
}

function compact(signature: string): string {
  const bytes = bytesOf(signature);
  if (bytes[64] === 28) bytes[32] = (bytes[32] ?? 0) | 0x80;
  return hexOf(bytes.subarray(0, 64));
}

function addOrder(signature: string): string {
  const bytes = Buffer.from(base58.decode(signature));
  const s = BigInt(hexOf(Buffer.from(bytes.subarray(32)).reverse())) + ed25519.Point.CURVE().n;
  Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse().copy(bytes, 32);
  return base58.encode(bytes);
}
