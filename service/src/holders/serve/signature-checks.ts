import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Overloaded } from "#core/database/failures.ts";
import type { QueueState } from "#core/readers/bounded-pool.ts";
import type { Check } from "./signature-thread.ts";

/** Checks signatures in a thread of its own, so that look-ups do not wait for them. */
export type SignatureChecks = {
  /** Throws `Overloaded` if too many checks are waiting. */
  verify: (text: string, signature: string, address: string) => Promise<boolean>;
  queue: () => QueueState;
  close: () => Promise<void>;
};

/** They take about 0.2 s together on an idle core. */
export const MAX_WAITING_SIGNATURES = 64;

/**
 * If `isUsed`, the thread loads its files now, before a new version of the program replaces them. After
 * a failure it starts again with the next check.
 */
export async function openSignatureChecks(isUsed: boolean): Promise<SignatureChecks> {
  const waiting = new Map<number, { resolve: (isValid: boolean) => void; reject: (error: Error) => void }>();
  let thread: Worker | null = null;
  let lastId = 0;
  let rejected = 0;

  const fail = (failed: Worker, error: Error) => {
    // A failed thread reports its error and then its end, when another one may run already.
    if (thread !== failed) return;
    thread = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const started = new Worker(new URL(import.meta.resolve("#holders/serve/signature-thread.ts")));
    started.unref();
    started.on("message", ({ id, isValid = false }: { id: number; isValid?: boolean }) => {
      waiting.get(id)?.resolve(isValid);
      waiting.delete(id);
    });
    started.on("error", (error: Error) => fail(started, error));
    started.on("exit", () => fail(started, new Error("The thread that checks signatures ended.")));
    return started;
  };
  if (isUsed) {
    thread = start();
    await Promise.race([once(thread, "message"), once(thread, "exit")]).catch(() => undefined);
  }

  return {
    async verify(text, signature, address) {
      if (waiting.size >= MAX_WAITING_SIGNATURES) {
        rejected += 1;
        throw new Overloaded("signatures");
      }
      thread ??= start();
      const id = ++lastId;
      const result = new Promise<boolean>((resolve, reject) => waiting.set(id, { resolve, reject }));
      thread.postMessage({ id, text, signature, address } satisfies Check);
      return result;
    },
    queue: () => ({ queue: "signatures", depth: waiting.size, limit: MAX_WAITING_SIGNATURES, rejected }),
    close: async () => {
      await thread?.terminate();
    },
  };
}
