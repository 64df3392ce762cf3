import { expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";

test.each([
  [["--port", "http"], "Expected a port from 0 to 65535."],
  [["-p", "65536"], "Expected a port from 0 to 65535."],
  [["--private-port", ""], "Expected a port from 0 to 65535."],
  [["--host", "nosuch.example"], "Expected an IP address of this machine, 0.0.0.0 for all, or localhost."],
])("2: %j", async (flags, message) => {
  const { code, stderr } = await runCommand(["serve", ...flags], { DATABASE_URL: "postgres://localhost/x" });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
