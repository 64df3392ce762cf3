import type { NewRequest } from "#holders/serve/serve-requests.ts";
import { signRequest } from "#testing/holders.ts";
import type { TestWallet } from "#testing/wallets.ts";

/** A passport number, and a wallet that it lists or not. */
export type Pair = { id: number; wallet: TestWallet };

const HOUR_MS = 3_600_000;

/**
 * Ways to forge a request over a stolen connection of the serving role. The forger may also know
 * HOLDER_KEY, as a serving node does, so most of these have a valid nonce.
 */
export const FORGERIES: Readonly<Record<string, (pair: Pair, forger: TestWallet) => NewRequest>> = {
  "invented text": ({ id, wallet }) => ({
    ...signRequest(wallet, "erase", id),
    message: `Erase passport ${id}.`,
    signature: "a",
  }),
  "signed with another wallet": ({ id, wallet }, forger) =>
    signRequest({ address: wallet.address, sign: forger.sign }, "erase", id),
  "another address in the row": ({ id, wallet }, forger) => ({
    ...signRequest(forger, "erase", id),
    address: wallet.address,
  }),
  "another passport in the row": ({ id, wallet }) => ({ ...signRequest(wallet, "hide", id + 1), passportId: id }),
  "another action in the row": ({ id, wallet }) => ({ ...signRequest(wallet, "see", id), action: "erase" }),
  "another nonce in the row": ({ id, wallet }) => {
    const request = signRequest(wallet, "hide", id);
    return { ...request, nonce: `other ${request.nonce}` };
  },
};

/** Texts that the wallet did sign, at another time. The reason of their refusal differs. */
export const CAPTURED: typeof FORGERIES = {
  "captured an hour ago": ({ id, wallet }) => signRequest(wallet, "hide", id, new Date(Date.now() - HOUR_MS)),
  "from the future": ({ id, wallet }) => signRequest(wallet, "hide", id, new Date(Date.now() + HOUR_MS)),
};

/** The arguments of `enqueue_request`, in order. */
export type Arguments = [
  codeHash: Buffer | null,
  secretHash: Buffer | null,
  passportId: unknown,
  action: unknown,
  address: unknown,
  message: unknown,
  signature: unknown,
  nonce: unknown,
];

/** Every kind of wrong argument, by its place. */
export const WRONG: readonly (readonly [place: number, value: unknown])[] = [
  ...[null, Buffer.alloc(31), Buffer.alloc(33)].map((value) => [0, value] as const),
  ...[Buffer.alloc(1), Buffer.alloc(64)].map((value) => [1, value] as const),
  ...[null, 0, -1, "9007199254740992", "9223372036854775808", "x"].map((value) => [2, value] as const),
  ...[null, "", "HIDE", "a".repeat(21), "drop table"].map((value) => [3, value] as const),
  ...[4, 5, 6, 7].flatMap((place) => [null, "", "a".repeat(5_000), "a\0b"].map((value) => [place, value] as const)),
];
