import { EXIT } from "#core/terminal/exit-codes.ts";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Waits for SIGTERM or SIGINT. After that, a second signal ends the process at once. */
export async function nextSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of SIGNALS) process.once(signal, resolve);
  await promise;
  for (const signal of SIGNALS) process.once(signal, () => process.exit(EXIT.interrupted));
  return promise;
}
