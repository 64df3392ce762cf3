import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { pause } from "#core/process/job.ts";
import { testDatabase } from "#testing/database.ts";
import { openWakeSignal } from "./wake-signal.ts";

test("a wait ends at once if the worker must stop, also if it began after that", async () => {
  const { database } = await testDatabase();
  const stop = new AbortController();
  const signal = openWakeSignal(database, stop.signal);
  const wait = signal.arm();
  stop.abort();
  // Without the signal, these would wait for an hour.
  await wait(3_600_000);
  await signal.arm()(3_600_000);
  signal.close();
  await expect.poll(() => database.totalCount).toBe(0);
});

const WAITS = 20_000;
/** A wait that is kept takes some hundred bytes. */
const MAX_KEPT_BYTES = 50 * WAITS;

test("waits without a notice keep no memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { database } = await testDatabase();
  const stop = new AbortController();
  const signal = openWakeSignal(database, stop.signal);
  const waitOften = async (waits: number) => {
    for (let done = 0; done < waits; done += 1_000) {
      await Promise.all(Array.from({ length: 500 }, () => [signal.arm()(1), pause(1, stop.signal)]).flat());
    }
  };
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  await waitOften(2_000);
  const before = heap();
  await waitOften(WAITS);
  expect(heap() - before).toBeLessThan(MAX_KEPT_BYTES);
  stop.abort();
  signal.close();
});
