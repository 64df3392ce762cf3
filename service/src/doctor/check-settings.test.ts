import { expect, test } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { testDatabase } from "#testing/database.ts";
import { HOLDER_KEY } from "#testing/holders.ts";
import { checkSettings } from "./check-settings.ts";

const { database } = await testDatabase();
const CONFIG = readConfig({ PUBLIC_URL: "https://v1.example", HOLDER_KEY, HOLDER_REQUESTS: "on" });
const REACHABLE = readConfig({
  ...{ PUBLIC_URL: "https://v1.example", HOLDER_KEY, HOLDER_REQUESTS: "review", OPERATOR_CONTACT: "ops@v1.example" },
});

test("holders who can ask must be able to reach somebody", async () => {
  expect(await checkSettings(database, CONFIG, [])).toMatchObject({
    ...{ state: "problem", finding: expect.stringContaining("OPERATOR_CONTACT") },
  });
  expect((await checkSettings(database, REACHABLE, [])).state).not.toBe("problem");
  expect((await checkSettings(database, readConfig({}), [])).state).not.toBe("problem");
});

test("ERASE_GRACE of more than 30 days is a warning", async () => {
  expect(await checkSettings(database, { ...REACHABLE, isEraseGraceTooLong: true }, [])).toMatchObject({
    ...{ state: "warning", finding: expect.stringContaining("counts as 30 days") },
  });
});
