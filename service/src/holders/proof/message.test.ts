import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOLDER_KEY } from "#testing/holders.ts";
import { scaled } from "#testing/scale.ts";
import { evmWallet, solanaWallet } from "#testing/wallets.ts";
import { createNonce, findNonceKey } from "./issue-message.ts";
import { composeMessage, HOLDER_ACTIONS, parseMessage } from "./message.ts";

const message = {
  domain: "credence.example",
  address: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
  action: "hide" as const,
  passportId: 12,
  uri: "https://credence.example/holder",
  nonce: "0123456789abcdef",
  issuedAt: new Date("2026-11-16T06:00:00Z"),
  expiresAt: new Date("2026-11-16T06:10:00Z"),
};

const arbitraryMessage = fc.record({
  domain: fc.domain(),
  address: fc.nat(20).map((n) => (n % 2 === 0 ? evmWallet : solanaWallet)(String(n)).address),
  action: fc.constantFrom(...HOLDER_ACTIONS),
  passportId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  uri: fc.webUrl(),
  nonce: fc.constant(message.nonce),
  issuedAt: fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => new Date(seconds * 1000)),
  expiresAt: fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => new Date(seconds * 1000)),
});

describe("composeMessage", () => {
  test("writes EIP-4361", () => {
    expect(composeMessage(message)).toBe(`credence.example wants you to sign in with your Ethereum account:
0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed

Hide passport 12.

URI: https://credence.example/holder
Version: 1
Chain ID: 1
Nonce: 0123456789abcdef
Issued At: 2026-11-16T06:00:00Z
Expiration Time: 2026-11-16T06:10:00Z`);
  });

  test("is parsed back", () => {
    fc.assert(
      fc.property(arbitraryMessage, (any) => {
        expect(parseMessage(composeMessage(any))).toEqual(any);
      }),
      { numRuns: scaled(2_000, 100) },
    );
  });
});

describe("parseMessage", () => {
  test.each([
    ["another line ending", (text: string) => text.replaceAll("\n", "\r\n")],
    ["a line at the end", (text: string) => `${text}\n`],
    ["a resource", (text: string) => `${text}\nResources:\n- https://example.org`],
    ["no checksum", (text: string) => text.replace("0x5aAe", "0x5aae")],
    ["another chain", (text: string) => text.replace("Chain ID: 1", "Chain ID: 137")],
    ["the chain of Solana", (text: string) => text.replace("Chain ID: 1", "Chain ID: mainnet")],
    ["the wording of Solana", (text: string) => text.replace("Ethereum", "Solana")],
    ["a leading zero", (text: string) => text.replace("passport 12", "passport 012")],
    ["a day that does not exist", (text: string) => text.replace("2026-11-16T06:00", "2026-11-31T06:00")],
    ["another statement", (text: string) => text.replace("Hide", "Delete")],
    ["half of two statements", (text: string) => text.replace("passport 12.", "passport 12 again.")],
    ["a version", (text: string) => text.replace("Version: 1", "Version: 2")],
    ["nothing", () => ""],
  ])("rejects %s", (_name, mutate) => {
    expect(parseMessage(mutate(composeMessage(message)))).toBeNull();
  });
});

describe("a text of the version before", () => {
  // Written by version 0.1.0, and signed by somebody who has not sent it yet.
  const TEXT = `v1.example wants you to sign in with your Ethereum account:
0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed

Erase passport 12.

URI: https://v1.example/holder
Version: 1
Chain ID: 1
Nonce: d5784c9063b413754213845bbc492f0df1f3cf4010dfb177
Issued At: 2026-11-16T06:00:00Z
Expiration Time: 2026-11-16T06:10:00Z`;

  test("stays valid", () => {
    const parsed = parseMessage(TEXT);
    expect(parsed).toMatchObject({ action: "erase", passportId: 12, domain: "v1.example" });
    expect(parsed && findNonceKey([HOLDER_KEY], parsed)).toBe(HOLDER_KEY);
  });
});

describe("findNonceKey", () => {
  const nonce = createNonce("key", message);

  test("binds every field", () => {
    expect(findNonceKey(["key"], { ...message, nonce })).toBe("key");
    const others = {
      domain: "credence.example.org",
      address: evmWallet("other").address,
      action: "erase" as const,
      passportId: 13,
      uri: "https://credence.example/other",
      issuedAt: new Date("2026-11-16T06:00:01Z"),
      expiresAt: new Date("2026-11-16T06:10:01Z"),
    };
    for (const [field, value] of Object.entries(others)) {
      expect(findNonceKey(["key"], { ...message, nonce, [field]: value }), field).toBeNull();
    }
  });

  test("finds the key of two, and none among others", () => {
    expect(findNonceKey(["new", "key"], { ...message, nonce })).toBe("key");
    expect(findNonceKey(["other"], { ...message, nonce })).toBeNull();
  });
  test("is new each time", () => expect(createNonce("key", message)).not.toBe(nonce));
  test("rejects another length", () => expect(findNonceKey(["key"], message)).toBeNull());
});
