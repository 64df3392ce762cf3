import { afterEach, expect, test, vi } from "vitest";
import { testDatabase } from "#testing/database.ts";
import { createLog } from "./log.ts";
import { watchClock } from "./watch-clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  [-3_600, true],
  [3_600, true],
  [-3, false],
])("a clock that is %i s ahead of the database's is reported: %s", async (seconds, isReported) => {
  const { database } = await testDatabase();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1_000 });
  const lines: string[] = [];
  const queried = vi.spyOn(database, "query");
  const clock = watchClock(createLog("info", { write: (line) => void lines.push(line) }), database);
  await vi.waitFor(() => expect(queried).toHaveBeenCalledOnce());
  await queried.mock.results[0]?.value;
  await new Promise(setImmediate);
  expect(lines.join("").includes(`"seconds":${seconds}`)).toBe(isReported);
  clock.stop();
});
