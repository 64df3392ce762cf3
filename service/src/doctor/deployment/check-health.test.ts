import { expect, test } from "vitest";
import { VERSION } from "#core/config/version.ts";
import { checkClock, checkVersion } from "./check-health.ts";
import type { Reply } from "./send.ts";

const replyAt = (date: string | null): Reply => ({
  status: 200,
  header: () => date,
  count: () => 1,
  body: "",
  receivedAt: Date.parse("2026-11-16T12:00:00Z"),
});

test.each([
  ["Mon, 16 Nov 2026 11:59:00 GMT", "ok"],
  ["Mon, 16 Nov 2026 11:58:59 GMT", "warning"],
  ["Mon, 16 Nov 2026 12:01:01 GMT", "warning"],
  ["yesterday", "ok"],
  [null, "ok"],
])("with the Date header %s, the clock is %s", (date, state) => {
  expect(checkClock({ reply: replyAt(date) }).state).toBe(state);
});

test("another version gets a warning", () => {
  const reply = replyAt(null);
  expect(checkVersion({ reply, version: VERSION }).state).toBe("ok");
  expect(checkVersion({ reply, version: "0.0.0" }).state).toBe("warning");
  expect(checkVersion({ reply }).finding).toContain("not checked");
});
