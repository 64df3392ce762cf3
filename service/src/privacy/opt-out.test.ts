import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { optOutForm } from "./opt-out.ts";

const EVM = `0x${"a1".repeat(20)}`;
const BECH32 = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
const SOLANA = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";

test.each([
  [EVM, [EVM, EVM.toUpperCase(), ` ${EVM}\n`, `0x ${"a1".repeat(20)}`, "a1".repeat(20), "A1".repeat(20)]],
  [EVM, [`eip155:1:${EVM}`, `EIP155:137:${EVM}`, `ethereum:${EVM}`, `ethereum:pay-${EVM}@1?value=1`, `\u200b${EVM}`]],
  [EVM, [EVM.replaceAll("1", "\uff11"), EVM.replaceAll("a", "\uff21")]],
  [
    BECH32,
    [BECH32, BECH32.toUpperCase(), `Bc1Q${BECH32.slice(4)}`, `bitcoin:${BECH32}?amount=1`, `bitcoin://${BECH32}`],
  ],
  [SOLANA, [SOLANA, `${SOLANA} `, `solana:${SOLANA}`, `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${SOLANA}`]],
])("all spellings of %s have one form", (form, spellings) => {
  expect(spellings.map(optOutForm)).toEqual(spellings.map(() => form));
});

test("an ordinary address has its canonical form, so existing tombstones go on working", () => {
  const hex = fc.stringMatching(/^0x[0-9a-fA-F]{40}$/);
  const base58 = fc.stringMatching(/^[2-9A-HJ-NP-Za-km-z]{32,44}$/);
  fc.assert(
    fc.property(fc.oneof(hex, base58), (address) => {
      expect(optOutForm(address)).toBe(canonicalWallet(address));
    }),
  );
});

test("a form is its own form", () => {
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(EVM, BECH32, SOLANA), fc.string({ unit: "binary" })), (address) => {
      expect(optOutForm(optOutForm(address))).toBe(optOutForm(address));
    }),
  );
});
