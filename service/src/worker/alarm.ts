import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "#store/engine/database.ts";
import type { Listener } from "#store/engine/listen.ts";
import { listenForWork } from "#store/engine/worker-channel.ts";

/** Wakes whoever waits for work: when some is queued, anywhere, or when it is time to stop. */
export type Alarm = {
  /** Taken before looking for work, so that none that comes after the look is slept through. */
  bell: () => Bell;
  close: () => void;
};
type Bell = { ringsOrAfter: (ms: number) => Promise<void> };

export function openAlarm(database: Database, signal: AbortSignal): Alarm {
  let rung = Promise.withResolvers<void>();
  const ring = () => {
    rung.resolve();
    rung = Promise.withResolvers();
  };
  signal.addEventListener("abort", ring);
  let ear: Listener | "wanted" | "listening" = "wanted";
  // Without it, work is found by looking every few seconds. A lost connection is replaced at the next wait.
  const listen = () => {
    if (ear !== "wanted" || signal.aborted) return;
    ear = "listening";
    const deaf = () => {
      ear = "wanted";
      ring();
    };
    listenForWork(database, ring, deaf).then(
      (opened) => {
        if (signal.aborted) opened.close();
        else if (ear === "listening") ear = opened;
      },
      () => {
        ear = "wanted";
      },
    );
  };
  return {
    bell() {
      listen();
      const { promise } = rung;
      return { ringsOrAfter: (ms) => firstOf(promise, ms, signal) };
    },
    close() {
      if (typeof ear === "object") ear.close();
    },
  };
}

async function firstOf(ringing: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const over = new AbortController();
  const time = delay(ms, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([ringing, time]);
  over.abort();
}
