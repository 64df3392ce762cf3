import { expect, test } from "vitest";
import { run } from "#cli.ts";
import { testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { testTerminal } from "#testing/terminal.ts";

test("Ctrl-C says that people stay only if some may have been imported", async () => {
  const { url } = await testDatabase();
  /** Presses Ctrl-C before the source is read, or in the last step. */
  const interrupt = async (when: "first" | "last", ...args: string[]) => {
    const environment = { DATABASE_URL: url };
    const terminal = testTerminal(["import", "-", "--no-standing", ...args], environment, JSON.stringify(person(1)));
    let press = () => {};
    const onInterrupt = (handler: () => void) => {
      press = handler;
      if (when === "first") handler();
    };
    await run(Object.assign(terminal, { onInterrupt }));
    if (when === "last") expect(press).toThrow("130");
    return terminal.printed().stderr;
  };
  expect(await interrupt("first")).toContain("Stopped. Nothing was written to the database.\n");
  expect(await interrupt("last", "--dry-run")).toContain("Stopped. Nothing was written to the database.\n");
  expect(await interrupt("last")).toContain("Stopped. What was imported stays. Run the same command again");
});
