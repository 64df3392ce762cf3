import { expect, test, vi } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { invalidateOnChange } from "./invalidate-on-change.ts";

test("closed before it is connected, it keeps no connection and invalidates nothing", async () => {
  const { database } = await testDatabase();
  const [cache, log] = [{ invalidateAll: vi.fn() }, { warn: vi.fn() }];
  const { close } = invalidateOnChange(cache as never, { refreshSoon: () => {} }, database, log as never, () => false);
  close();
  await expect.poll(() => database.totalCount + database.waitingCount).toBe(0);
  expect(cache.invalidateAll).not.toHaveBeenCalled();
  expect(log.warn).not.toHaveBeenCalled();
});
