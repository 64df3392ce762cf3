import { expect, test } from "vitest";
import { scaled } from "#testing/scale.ts";
import { DOMAIN, KEY, MUTATIONS, NOW } from "#testing/signature-mutations.ts";
import { evmWallet, solanaWallet } from "#testing/wallets.ts";
import { HOLDER_ACTIONS, type HolderAction } from "./message.ts";
import { checkMessage } from "./verify-request.ts";
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
      ...{ holder, other, action: HOLDER_ACTIONS[round % HOLDER_ACTIONS.length] as HolderAction },
      ...{ passportId: 1 + ((round * 7_919) % 1_000_000_007), random: (round * 2_654_435_761) % 4_294_967_296 },
    });
    expect(checkRequest(request), JSON.stringify(request)).toBe(fault ?? "accepted");
  }
});
