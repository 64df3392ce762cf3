import type { Database } from "#core/database/database.ts";
import { listenForWork } from "#core/database/notices.ts";

/** Wakes a waiting worker when people are queued by any process, or when the worker must stop. */
export type WakeSignal = {
  /** Call it before looking for work: the returned wait also ends for work queued since. */
  arm: () => (ms: number) => Promise<void>;
  close: () => void;
};

export function openWakeSignal(database: Database, stop: AbortSignal): WakeSignal {
  let notices = 0;
  // A wait leaves nothing behind: on a quiet server, no notice may come for months.
  const waiting = new Set<() => void>();
  const wake = () => {
    notices += 1;
    for (const end of waiting) end();
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
      const before = notices;
      return async (ms) => {
        if (stop.aborted || notices !== before) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        const end = () => {
          clearTimeout(timer);
          waiting.delete(end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        waiting.add(end);
        await promise;
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
