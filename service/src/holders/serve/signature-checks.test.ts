import { expect, test } from "vitest";
import { Overloaded } from "#core/database/failures.ts";
import { evmWallet } from "#testing/wallets.ts";
import { whenDone } from "#testing/when-done.ts";
import { openSignatureChecks } from "./signature-checks.ts";

const wallet = evmWallet("a");

async function start() {
  const checks = await openSignatureChecks(true);
  whenDone(checks.close);
  return checks;
}

test("64 checks wait at most; the thread answers each", async () => {
  const checks = await start();
  const texts = Array.from({ length: 64 }, (_, n) => `text ${n}`);
  // Every other signature is that of another text.
  const waiting = texts.map((text, n) => checks.verify(text, wallet.sign(`text ${n - (n % 2)}`), wallet.address));
  await expect(checks.verify("more", "", wallet.address)).rejects.toBeInstanceOf(Overloaded);
  expect(checks.queue()).toEqual({ queue: "signatures", depth: 64, limit: 64, rejected: 1 });
  expect(await Promise.all(waiting)).toEqual(texts.map((_, n) => n % 2 === 0));
  expect(checks.queue().depth).toBe(0);
});

test("checks fail if the thread ends, and the next one starts it again", async () => {
  const checks = await start();
  const interrupted = checks.verify("a", wallet.sign("a"), wallet.address);
  await Promise.all([checks.close(), expect(interrupted).rejects.toThrow("The thread that checks signatures ended.")]);
  expect(await checks.verify("a", wallet.sign("a"), wallet.address)).toBe(true);
});
