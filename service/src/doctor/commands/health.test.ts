import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";
import { whenDone } from "#testing/when-done.ts";

test("exits with 1 without a server, and prints JSON", async () => {
  const { code, stdout, stderr } = await runCommand(["health", "--port", "1", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({ ready: false, version: null, data_age_seconds: null });
  expect(stderr).toContain("http://127.0.0.1:1/health/ready");
});

test.each([
  ["null", 1],
  ['{"ready":"yes"}', 1],
  ["<html>", 1],
  ['{"ready":false,"version":"1"}', 1],
  ['{"ready":true,"version":"\\u001b[2J","data_age_seconds":"x"}', 0],
])("with the response %s exits with %i", async (body, expected) => {
  const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
  await once(server, "listening");
  whenDone(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { code, stdout } = await runCommand(["health", "--port", `${port}`]);
  expect(code).toBe(expected);
  // The version comes from the response: no control character reaches the terminal.
  expect(stdout).toMatch(/^[^\p{Cc}]+\n$/u);
});
