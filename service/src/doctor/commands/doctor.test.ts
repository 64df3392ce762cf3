import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { testFolder } from "#testing/folder.ts";

const { url } = await testDatabase();

async function findVariables(args: string[], environment: Record<string, string>) {
  const { stdout } = await runCommand(["doctor", "--json", ...args], { DATABASE_URL: url, ...environment });
  const { checks } = JSON.parse(stdout);
  return checks.find(({ name }: { name: string }) => name === "variables");
}

test("a variable that looks like a setting is a warning with the nearest setting, without its value", async () => {
  const check = await findVariables([], { AUTHMODE: "a secret", KUBERNETES_PORT: "1" });
  expect(check).toMatchObject({
    state: "warning",
    finding: "AUTHMODE is not a setting, and has no effect. The nearest is AUTH_MODE.",
  });
});

test("--env-file: its settings are used, and every other name is a problem", async () => {
  const path = join(testFolder(), "credence.env");
  writeFileSync(path, "# A comment\nLOG_LEVEL=warn\nDATABASE_PASSWORD=a secret\n");
  expect(await findVariables(["--env-file", path], {})).toMatchObject({
    state: "problem",
    finding: expect.stringMatching(/^DATABASE_PASSWORD is not a setting/),
  });
  writeFileSync(path, `PORT=8081\nDATABASE_URL="${url}"\n`);
  const { code, stdout } = await runCommand(["doctor", "--env-file", path]);
  expect(stdout).toContain("with these settings, a server serves http://127.0.0.1:8081 on 127.0.0.1:8081");
  expect(stdout).toMatch(/ok +variables +every name in ".*credence.env" is a setting/);
  expect(code).toBe(0);
  // As in a container, to which secrets are mounted.
  writeFileSync(path, "PUBLIC_URL=https://v1.example\nHOLDER_REQUESTS=review\nOPERATER_NAME=a\n");
  const { stdout: incomplete } = await runCommand(["doctor", "--env-file", path]);
  expect(incomplete).toMatch(/problem +configuration +.*HOLDER_REQUESTS is review, which needs/);
  expect(incomplete).toMatch(/problem +variables +OPERATER_NAME is not a setting/);
  writeFileSync(path, "PORT=many\n");
  expect(await runCommand(["doctor", "--env-file", path])).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('PORT is "many"'),
  });
});

test.each([
  [["--http-port", "80"], "--http-port needs --url."],
  [["--env-file", "x", "--url", "http://127.0.0.1:1"], "--env-file cannot be combined with --url."],
])("2: %j", async (args, message) => {
  const { code, stdout, stderr } = await runCommand(["doctor", ...args], { DATABASE_URL: url });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});
