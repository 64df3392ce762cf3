import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { hashWallet } from "./keys.ts";

const EVM = `0x${"a1".repeat(20)}`;
const BECH32 = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
const SOLANA = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";

const hash = (address: string): string => hashWallet("a key that nobody could guess", address);

test.each([
  [EVM, [EVM.toUpperCase(), ` ${EVM}\n`, `0x ${"a1".repeat(20)}`, "a1".repeat(20), "A1".repeat(20)]],
  [EVM, [`eip155:1:${EVM}`, `EIP155:137:${EVM}`, `ethereum:${EVM}`, `ethereum:pay-${EVM}@1?value=1`, `\u200b${EVM}`]],
  [EVM, [EVM.replaceAll("1", "\uff11"), EVM.replaceAll("a", "\uff21")]],
  [BECH32, [BECH32.toUpperCase(), `Bc1Q${BECH32.slice(4)}`, `bitcoin:${BECH32}?amount=1`, `bitcoin://${BECH32}`]],
  [SOLANA, [`${SOLANA} `, `solana:${SOLANA}`, `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${SOLANA}`]],
])("all spellings of %s have one hash", (address, spellings) => {
  expect(spellings.map(hash)).toEqual(spellings.map(() => hash(address)));
});

test("addresses that differ in their canonical form have different hashes, and so do keys", () => {
  const hex = fc.stringMatching(/^0x[0-9a-fA-F]{40}$/);
  const base58 = fc.stringMatching(/^[2-9A-HJ-NP-Za-km-z]{32,44}$/);
  const address = fc.oneof(hex, base58, fc.constantFrom(SOLANA, SOLANA.toLowerCase()));
  fc.assert(
    fc.property(address, address, (one, other) => {
      expect(hash(one) === hash(other)).toBe(canonicalWallet(one) === canonicalWallet(other));
      expect(hashWallet("another key", one)).not.toBe(hash(one));
    }),
  );
});
