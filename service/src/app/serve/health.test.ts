import { expect, test } from "vitest";
import { readConfig } from "#core/config/config.ts";
import { testDatabase } from "#testing/database.ts";
import { readinessOf } from "./health.ts";

test("a node is ready only when it has read the API keys", async () => {
  const { database } = await testDatabase();
  const deps = { config: readConfig({}), readers: { control: database }, phase: () => "serving" } as never;
  for (const isLoaded of [false, true]) {
    const keyring = { isLoaded: () => isLoaded } as never;
    const findReadiness = readinessOf({ ...(deps as object), keyring } as never);
    expect(await findReadiness()).toMatchObject({ ready: isLoaded });
  }
});
