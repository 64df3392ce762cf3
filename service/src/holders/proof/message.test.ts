import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { evmWallet, solanaWallet } from "#testing/wallets.ts";
import { composeMessage, parseMessage, statementOf, WISHES } from "./message.ts";

const message = {
  domain: "credence.example",
  address: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
  ...{ wish: "erase" as const, isReviewed: false, graceSeconds: 259_200 },
  uri: "https://credence.example/holder",
  nonce: "0123456789abcdef",
  issuedAt: new Date("2026-11-16T06:00:00Z"),
  expiresAt: new Date("2026-11-16T06:10:00Z"),
};

const anyTime = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => new Date(seconds * 1000));
const anyGrace = fc
  .tuple(fc.integer({ min: 1, max: 9_999 }), fc.constantFrom(1, 60, 3_600, 86_400))
  .map(([count, unit]) => count * unit);

const anyMessage = fc
  .record({
    domain: fc.domain(),
    address: fc.nat(20).map((n) => (n % 2 === 0 ? evmWallet : solanaWallet)(String(n)).address),
    wish: fc.constantFrom(...WISHES),
    isReviewed: fc.boolean(),
    graceSeconds: anyGrace,
    uri: fc.webUrl(),
    nonce: fc.constant(message.nonce),
    issuedAt: anyTime,
    expiresAt: anyTime,
  })
  .map((any) => ({ ...any, graceSeconds: any.wish === "erase" ? any.graceSeconds : 0 }));

test("the text is EIP-4361, and says what is promised", () => {
  expect(composeMessage(message)).toBe(`credence.example wants you to sign in with your Ethereum account:
0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed

Erase the record of this wallet: hidden at once, erased after 72 hours.

URI: https://credence.example/holder
Version: 1
Chain ID: 1
Nonce: 0123456789abcdef
Issued At: 2026-11-16T06:00:00Z
Expiration Time: 2026-11-16T06:10:00Z`);
  const solana = composeMessage({ ...message, address: solanaWallet("a").address, wish: "hide", isReviewed: true });
  expect(solana).toContain("sign in with your Solana account");
  expect(solana).toContain("Ask the operator to hide");
});

test("any message is parsed back", () => {
  fc.assert(
    fc.property(anyMessage, (any) => {
      expect(parseMessage(composeMessage(any))).toEqual(any);
    }),
    { numRuns: scaled(2_000, 100) },
  );
});

test.each([
  [1, "1 second"],
  [90, "90 seconds"],
  [60, "1 minute"],
  [3_600, "1 hour"],
  [172_800, "48 hours"],
  [345_600, "4 days"],
  [259_260, "4321 minutes"],
])("%i seconds are said as %s", (graceSeconds, text) => {
  expect(statementOf({ wish: "erase", isReviewed: false, graceSeconds })).toContain(`after ${text}.`);
});

describe("a text in any other form is none of ours", () => {
  test.each([
    ["another line ending", (text: string) => text.replaceAll("\n", "\r\n")],
    ["a line at the end", (text: string) => `${text}\n`],
    ["a resource", (text: string) => `${text}\nResources:\n- https://example.org`],
    ["no checksum", (text: string) => text.replace("0x5aAe", "0x5aae")],
    ["another chain", (text: string) => text.replace("Chain ID: 1", "Chain ID: 137")],
    ["the chain of Solana", (text: string) => text.replace("Chain ID: 1", "Chain ID: mainnet")],
    ["the wording of Solana", (text: string) => text.replace("Ethereum", "Solana")],
    ["another unit", (text: string) => text.replace("72 hours", "3 days")],
    ["a day that does not exist", (text: string) => text.replace("2026-11-16T06:00", "2026-11-31T06:00")],
    ["another statement", (text: string) => text.replace("Erase", "Delete")],
    ["a version", (text: string) => text.replace("Version: 1", "Version: 2")],
    ["nothing", () => ""],
  ])("%s", (_name, mutate) => {
    expect(parseMessage(mutate(composeMessage(message)))).toBeNull();
  });
});
