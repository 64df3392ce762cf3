import { LIMITS } from "@credence/contract/person-limits.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { parseReference } from "./reference.ts";
import { canonicalWallet } from "./wallet-address.ts";

const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";

describe("parseReference", () => {
  test.each([
    ["1", 1],
    ["007", 7],
    ["9007199254740991", 9007199254740991],
    [`${"0".repeat(200)}12`, 12],
  ])("parses %s as passport id %d", (text, passportId) => {
    expect(parseReference(text)).toEqual({ kind: "passport_id", passportId });
  });

  test.each([
    "",
    "0",
    "000",
    "9007199254740992",
    "9007199254740993",
    "9".repeat(400),
    "1\u0000",
    "\ud800",
    "x".repeat(10_000),
  ])("returns null for %j", (text) => {
    expect(parseReference(text)).toBeNull();
  });

  test.each(["1e3", "0x10", " 1", "1 ", "1.0", "+1", "-1", "１２３", "٣", "1\n", "Infinity", "NaN", "1_000", "../1"])(
    "does not take %j for an id",
    (text) => {
      expect(parseReference(text)).toEqual({ kind: "wallet", address: text });
    },
  );

  test("parses an EVM address in any case, without checking its checksum", () => {
    const address = `0x${"aBcDeF0123".repeat(4)}`;
    for (const spelling of [address, address.toLowerCase(), address.toUpperCase()]) {
      expect(parseReference(spelling)).toEqual({ kind: "wallet", address: address.toLowerCase() });
    }
  });

  test.each([
    solana,
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    "cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh",
    // Stellar, NEAR, Flow, TON, Sui and Cardano.
    "GDQP2KPQGKIHYJGXNUIYOMHARUARCA7DJT5FO2FFOOKY3B2WSQHG4W37",
    "alice.near",
    "0x1654653399040a61",
    "EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2",
    `0x${"a1".repeat(32)}`,
    `addr1${"q".repeat(98)}`,
    // The longest that an import accepts, in UTF-16.
    "🦊".repeat(LIMITS.walletCharacters),
  ])("preserves the case of %s", (address) => {
    expect(parseReference(address)).toEqual({ kind: "wallet", address });
  });

  test("converts a bech32 address in upper case to lower case, and preserves mixed case", () => {
    const address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    expect(parseReference(address.toUpperCase())).toEqual({ kind: "wallet", address });
    expect(canonicalWallet(address.toUpperCase())).toBe(address);
    const mixed = `B${address.slice(1)}`;
    expect(parseReference(mixed)).toEqual({ kind: "wallet", address: mixed });
    expect(canonicalWallet(mixed)).toBe(mixed);
  });

  test("a parsed id prints as the same digits", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{1,25}$/), fc.maxSafeNat().map(String)), (text) => {
        const reference = parseReference(text);
        if (reference?.kind === "passport_id") expect(String(reference.passportId)).toBe(text.replace(/^0+/, ""));
      }),
      { numRuns: scaled(5_000, 500) },
    );
  });
});

test("canonicalWallet does not change addresses of other chains", () => {
  expect(canonicalWallet(solana)).toBe(solana);
  expect(canonicalWallet("anything Else")).toBe("anything Else");
});
