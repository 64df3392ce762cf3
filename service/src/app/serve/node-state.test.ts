import { expect, test } from "vitest";
import { issueKey } from "#keys/manage/issue-key.ts";
import { serving } from "#testing/serving.ts";

const DAY_MS = 86_400_000;

test("reports readiness, version, life cycle, schema, expiring keys, clocks and queue limits", async () => {
  const sunset = new Date(Math.floor(Date.now() / 1000) * 1000 + 30 * DAY_MS);
  const { database, privateAddress } = await serving([], {
    environment: { V1_DEPRECATED_AT: "2024-01-01", V1_SUNSET_AT: sunset.toISOString() },
  });
  const key = (days: number) =>
    issueKey(database, { label: "test", contact: "test", expiresAt: new Date(Date.now() + days * DAY_MS) });
  await Promise.all([key(13), key(15)]);
  await database.query("insert into schema_migration (name, run_on) values ('9999_newer', now())");
  const lines = (await (await fetch(`${privateAddress}/metrics`)).text()).split("\n");
  const read = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);

  expect(lines.find((line) => line.startsWith("credence_build_info"))).toMatch(/version="\d+\.\d+\.\d+".*} 1$/);
  expect(read("credence_ready")).toBe("1");
  expect(read('credence_v1_state{state="announced"}')).toBe("1");
  expect(read('credence_v1_state{state="gone"}')).toBe("0");
  expect(read("credence_v1_deprecated_timestamp_seconds")).toBe(String(Date.UTC(2024, 0, 1) / 1000));
  expect(read("credence_v1_sunset_timestamp_seconds")).toBe(String(sunset.getTime() / 1000));
  expect(read("credence_v1_next_state_timestamp_seconds")).toBe(String(sunset.getTime() / 1000));
  expect(read("credence_schema_pending")).toBe("0");
  expect(read("credence_schema_unknown")).toBe("1");
  expect(read("credence_keys_expiring")).toBe("1");
  expect(Math.abs(Number(read("credence_clock_difference_seconds")))).toBeLessThan(1);
  expect(read("credence_usage_lost_total")).toBe("0");
  expect(read("credence_usage_waiting")).toMatch(/^\d+$/);
  await expect
    .poll(async () => (await fetch(`${privateAddress}/metrics`)).text())
    .toMatch(/^credence_notices_connected 1$/m);
  for (const line of lines.filter((found) => found.startsWith("credence_queue_depth"))) {
    expect(Number(read(line.replace("_depth", "_limit").split(" ").slice(0, -1).join(" ")))).toBeGreaterThan(0);
  }
});

test("without a sunset, its times are absent", async () => {
  const { privateAddress } = await serving([]);
  const text = await (await fetch(`${privateAddress}/metrics`)).text();
  expect(text).toMatch(/^credence_v1_state{state="active"} 1$/m);
  expect(text).not.toMatch(/^credence_v1_(sunset|next_state)_timestamp_seconds /m);
});
