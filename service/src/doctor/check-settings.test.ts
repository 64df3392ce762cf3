import { describe, expect, test, vi } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { createLog } from "#core/process/log.ts";
import type { HolderSettings } from "#holders/manage/settings.ts";
import { reportSettings } from "#holders/manage/worker-settings.ts";
import { watchSettings } from "#holders/serve/watch-settings.ts";
import { describePromiseDifferences, settingsRow } from "#holders/settings-in-use.ts";
import { testDatabase } from "#testing/database.ts";
import { HOLDER_KEY, HOLDERS_ON } from "#testing/holders.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { checkSettings } from "./check-settings.ts";

const SERVER = {
  holderRequests: "on",
  eraseGraceMs: HOLDERS_ON.graceMs,
  publicUrl: HOLDERS_ON.publicUrl,
  holderKeys: [HOLDER_KEY],
} as const;
const NEW_KEY = "a new secret of requests of holders for tests";
/** Of a shell that has the settings of the server. */
const CONFIG = readConfig({ PUBLIC_URL: HOLDERS_ON.publicUrl, HOLDER_KEY, HOLDER_REQUESTS: "on" });

/** A server and a worker, and what the log of the server says. */
async function start(worker: Partial<HolderSettings>) {
  const { database } = await testDatabase();
  await reportSettings(database, { ...HOLDERS_ON, ...worker });
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const config = { ...SERVER, holderKeys: [...SERVER.holderKeys] };
  const watch = watchSettings(log, database, config, { everyMs: 10, lastingMs: 0 });
  const countReports = async () =>
    (await database.query("select from holder_settings where process = 'server'")).rowCount;
  await vi.waitFor(async () => expect(await countReports()).toBe(1));
  return { database, lines, stop: watch.stop };
}

test("server and worker with the same settings agree", async () => {
  const { database, lines, stop } = await start({});
  expect(await checkSettings(database, CONFIG, [])).toMatchObject({ state: "ok" });
  stop();
  expect(lines).toEqual([]);
});

test.each<[Partial<HolderSettings>, string]>([
  [{ mode: "review" }, "HOLDER_REQUESTS is on (server), review (worker)"],
  [{ graceMs: 3_600_000 }, "ERASE_GRACE is 72h (server), 1h (worker)"],
  // As in the demo.
  [{ graceMs: 60_000 }, "ERASE_GRACE is 72h (server), 1 min (worker)"],
  [
    { publicUrl: "https://www.v1.example" },
    "PUBLIC_URL is https://v1.example (server), https://www.v1.example (worker)",
  ],
  [{ keys: [NEW_KEY] }, "HOLDER_KEY differs"],
])("the server's log and `doctor` say that they differ: %j", async (worker, expected) => {
  const { database, lines, stop } = await start(worker);
  await vi.waitFor(() => expect(lines.join("")).toContain(expected));
  stop();
  expect(lines).toHaveLength(1);
  expect(lines.join("")).not.toContain(NEW_KEY);
  expect(await checkSettings(database, CONFIG, [])).toMatchObject({
    state: "warning",
    finding: expect.stringContaining(expected.replace("(server)", "(server, this shell)")),
  });
  // A worker that ended long ago does not count.
  await database.query(
    "update holder_settings set last_seen_at = now() - interval '2 minutes' where process = 'worker'",
  );
  expect(await checkSettings(database, CONFIG, [])).toMatchObject({ state: "ok" });
});

test("OPT_OUT_KEY is compared between workers and the shell, and its fingerprint is not for the serving role", async () => {
  const { database, stop } = await start({});
  stop();
  expect(await checkSettings(database, { ...CONFIG, optOutKeys: [OPT_OUT_KEY] }, [])).toMatchObject({ state: "ok" });
  expect(await checkSettings(database, { ...CONFIG, optOutKeys: [NEW_KEY] }, [])).toMatchObject({
    state: "warning",
    finding: expect.stringContaining("OPT_OUT_KEY differs"),
  });
});

test("ERASE_GRACE of more than 30 days is a warning", async () => {
  const { database, stop } = await start({});
  stop();
  expect(await checkSettings(database, { ...CONFIG, isEraseGraceTooLong: true }, [])).toMatchObject({
    state: "warning",
    finding: expect.stringContaining("counts as 30 days"),
  });
});

test("a stolen serving role cannot fill the table, or write rows of workers", async () => {
  const { database, stop } = await start({});
  stop();
  for (let n = 0; n < 60; n += 1) {
    await database.query("select report_holder_settings('on', $1, 'https://v1.example', '')", [n]);
  }
  const { rows } = await database.query("select process, count(*)::int from holder_settings group by 1 order by 1");
  expect(rows).toEqual([
    { process: "server", count: 50 },
    { process: "worker", count: 1 },
  ]);
});

describe("while a key is rotated", () => {
  const row = (process: "server" | "worker", holderKeys: string[]) => settingsRow(process, { ...SERVER, holderKeys });

  test.each([
    [[NEW_KEY, HOLDER_KEY], [HOLDER_KEY], "HOLDER_KEY differs"],
    [[HOLDER_KEY, NEW_KEY], [HOLDER_KEY], undefined],
    [[NEW_KEY, HOLDER_KEY], [HOLDER_KEY, NEW_KEY], undefined],
    [[NEW_KEY], [NEW_KEY, HOLDER_KEY], undefined],
  ])("it matters whether the other accepts what is signed now", (server, worker, expected) => {
    expect(describePromiseDifferences([row("server", server), row("worker", worker)])[0]).toBe(expected);
  });
});
