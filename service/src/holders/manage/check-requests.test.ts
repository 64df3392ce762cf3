import { expect, test } from "vitest";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { holderTests } from "#testing/holder-tests.ts";
import { checkRequests } from "./check-requests.ts";

test("a request that needs a decision is a warning at once, with the age of the oldest", async () => {
  const { database, url } = await testDatabase();
  const { prepare } = holderTests(database);
  expect(await checkRequests(database)).toMatchObject({ state: "ok" });
  const { main, ask } = await prepare();
  expect(await ask(main, "erase", { mode: "review" })).toMatchObject({ state: "review" });
  expect(await checkRequests(database)).toMatchObject({
    state: "warning",
    finding: expect.stringContaining("that need your decision: 1;"),
    advice: expect.stringContaining("`credence requests list`"),
  });
  await database.query("update holder_request set received_at = now() - interval '75 hours'");
  expect((await checkRequests(database)).advice).toContain("The oldest was sent 3 days ago.");
  const status = await runCommand(["status", "--json"], { DATABASE_URL: url });
  expect(JSON.parse(status.stdout).requests).toMatchObject({ requests: 0, in_review: 1 });
});
