import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { DOMAIN, KEY, MUTATIONS, NOW } from "#testing/signature-mutations.ts";
import { evmWallet, solanaWallet } from "#testing/wallets.ts";
import { checkMessage, codeOf, findNonceKey, issueMessage } from "./issue-message.ts";
import { parseMessage, WISHES, type Wish } from "./message.ts";
import { verifySignature } from "./verify-signature.ts";

const WALLETS = 8;
const wallets = {
  evm: Array.from({ length: WALLETS }, (_, n) => evmWallet(`mutated ${n}`)),
  solana: Array.from({ length: WALLETS }, (_, n) => solanaWallet(`mutated ${n}`)),
};
const cases = Object.entries(MUTATIONS).flatMap(([name, { only }]) =>
  (["evm", "solana"] as const).filter((kind) => (only ?? kind) === kind).map((kind) => [name, kind] as const),
);

/** As a serving node does. */
function checkRequest({ text, signature }: { text: string; signature: string }): string {
  const checked = checkMessage(text, { domain: DOMAIN, keys: [KEY], now: NOW });
  if ("fault" in checked) return checked.fault;
  return verifySignature(text, signature, checked.message.address) ? "accepted" : "signature";
}

test.each(cases)("a signed request: %s (%s)", (name, kind) => {
  const { fault, attempt } = MUTATIONS[name] as (typeof MUTATIONS)[string];
  for (let round = 0; round < scaled(150, 5); round += 1) {
    const [holder, other] = [wallets[kind][round % WALLETS], wallets[kind][(round + 1) % WALLETS]];
    if (holder === undefined || other === undefined) throw new Error("There is no wallet.");
    const request = attempt({
      ...{ holder, other, wish: WISHES[round % WISHES.length] as Wish },
      random: (round * 2_654_435_761) % 4_294_967_296,
    });
    expect(checkRequest(request), JSON.stringify(request)).toBe(fault ?? "accepted");
  }
});

const subject = {
  ...{ domain: DOMAIN, uri: `https://${DOMAIN}/holder`, address: evmWallet("a").address },
  ...{ wish: "erase" as const, isReviewed: false, graceSeconds: 60 },
};
const text = issueMessage(KEY, subject, NOW);

test("the nonce binds every field, to one of several keys", () => {
  const message = parseMessage(text);
  if (message === null) throw new Error("The text is none.");
  expect(findNonceKey(["new", KEY], message)).toBe(KEY);
  expect(findNonceKey(["other"], message)).toBeNull();
  const others = {
    ...{ domain: "credence.example.org", address: evmWallet("other").address, uri: "https://credence.example/other" },
    ...{ wish: "hide", isReviewed: true, graceSeconds: 61, nonce: message.nonce.replace(/./, "g") },
    ...{ issuedAt: new Date(NOW.getTime() + 1_000), expiresAt: new Date(NOW.getTime() + 601_000) },
  };
  expect(Object.keys(others).toSorted()).toEqual(Object.keys(message).toSorted());
  for (const [field, value] of Object.entries(others))
    expect(findNonceKey([KEY], { ...message, [field]: value }), field).toBeNull();
});

test("two texts differ in nonce and code; the same text has the same code, for holders of the key", () => {
  const again = issueMessage(KEY, subject, NOW);
  expect(again).not.toBe(text);
  const codes = [codeOf(KEY, text), codeOf(KEY, text), codeOf(KEY, again), codeOf("other", text)];
  expect(new Set(codes).size).toBe(3);
});
