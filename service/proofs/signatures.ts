import assert from "node:assert/strict";
import { HOLDER_ACTIONS, type HolderAction } from "#holders/proof/message.ts";
import { checkMessage } from "#holders/proof/verify-request.ts";
import { verifySignature } from "#holders/proof/verify-signature.ts";
import { evmWallet, solanaWallet } from "#testing/wallets.ts";
import { DOMAIN, KEY, MUTATIONS, NOW, type Subject } from "./signatures/mutations.ts";

const WALLETS = 64;
const PROGRESS_MS = 5_000;

/** Of `count` signed requests, valid ones and ones changed in every way, exactly the valid ones pass. */
export async function proveSignatures(count: number) {
  const wallets = {
    evm: Array.from({ length: WALLETS }, (_, n) => evmWallet(`proof ${n}`)),
    solana: Array.from({ length: WALLETS }, (_, n) => solanaWallet(`proof ${n}`)),
  };
  const names = Object.keys(MUTATIONS);
  const cases: Record<string, number> = {};
  const started = performance.now();
  let shown = started;
  let accepted = 0;
  let verifyMs = 0;
  for (let n = 0; n < count; n++) {
    const name = names[n % names.length] as string;
    const { fault, only, attempt } = MUTATIONS[name] as (typeof MUTATIONS)[string];
    const round = Math.floor(n / names.length);
    const kind = only ?? (round % 2 === 0 ? "evm" : "solana");
    const request = attempt(subjectOf(wallets[kind], n, round));
    const before = performance.now();
    const actual = checkRequest(request);
    verifyMs += performance.now() - before;
    const expected = fault === null ? "accepted" : fault;
    assert.equal(actual, expected, `${name} (${kind}, case ${n}): ${JSON.stringify(request)}`);
    if (actual === "accepted") accepted += 1;
    cases[name] = (cases[name] ?? 0) + 1;
    if (performance.now() - shown > PROGRESS_MS) {
      shown = performance.now();
      process.stderr.write(`${n} of ${count}\n`);
    }
  }
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  return { count, accepted, rejected: count - accepted, seconds, verify_ms: verifyMs / count, cases };
}

/** As a serving node does. */
function checkRequest({ text, signature }: { text: string; signature: string }): string {
  const checked = checkMessage(text, { domain: DOMAIN, keys: [KEY], now: NOW });
  if ("fault" in checked) return checked.fault;
  return verifySignature(text, signature, checked.message.address) ? "accepted" : "signature";
}

function subjectOf(wallets: Subject["holder"][], n: number, round: number): Subject {
  return {
    holder: wallets[round % WALLETS] as Subject["holder"],
    other: wallets[(round + 1 + (n % (WALLETS - 1))) % WALLETS] as Subject["holder"],
    action: HOLDER_ACTIONS[round % HOLDER_ACTIONS.length] as HolderAction,
    passportId: 1 + ((n * 7919) % 1_000_000_007),
    random: (n * 2_654_435_761) % 4_294_967_296,
  };
}
