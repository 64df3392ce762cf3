import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "#core/database/database.ts";
import { listenForWork } from "#core/database/notices.ts";

/** Wakes a waiting worker when people are queued by any process, or when the worker must stop. */
export type WakeSignal = {
  /** Call it before looking for work: the returned wait also ends for work queued since. */
  arm: () => (ms: number) => Promise<void>;
  close: () => void;
};

export function openWakeSignal(database: Database, stop: AbortSignal): WakeSignal {
  let next = Promise.withResolvers<void>();
  const wake = () => {
    next.resolve();
    next = Promise.withResolvers();
  };
  stop.addEventListener("abort", wake);

  let listener: ReturnType<typeof listenForWork> | null = null;
  const drop = () => {
    listener = null;
  };
  // Without a listener, the worker polls. A lost connection is replaced at the next wait.
  const listen = () => {
    if (listener !== null || stop.aborted) return;
    const onDisconnect = () => {
      drop();
      wake();
    };
    listener = listenForWork(database, wake, onDisconnect);
    listener.catch(drop);
  };
  return {
    arm() {
      listen();
      const { promise } = next;
      return async (ms) => {
        if (stop.aborted) return;
        const timer = new AbortController();
        await Promise.race([promise, delay(ms, undefined, { signal: timer.signal }).catch(() => {})]);
        timer.abort();
      };
    },
    close() {
      listener?.then(
        ({ close }) => close(),
        () => {},
      );
    },
  };
}
