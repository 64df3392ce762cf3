import { expect, test } from "vitest";
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
