import type { Command } from "commander";
import { afterEach, describe, expect, test } from "vitest";
import { buildProgram } from "#cli.ts";
import { runCommand } from "#testing/command.ts";
import { listExamples, listLines, prepareExamples } from "#testing/help-examples.ts";
import { expectPrintable, plantHostileTexts, plantHostileValues } from "#testing/hostile-values.ts";
import { testTerminal } from "#testing/terminal.ts";

test("every command has an example", async () => {
  const commands = new Set((await listExamples()).map(({ command }) => command));
  expect(commands.size).toBe(countCommands(await buildProgram(testTerminal())));
});

const countCommands = (command: Command): number =>
  1 + command.commands.reduce((sum, child) => sum + countCommands(child), 0);

// Examples that need a shell are in examples.system.test.ts.
describe("every example of --help works, and prints hostile texts harmlessly", async () => {
  const { database, prepare } = await prepareExamples();
  await plantHostileValues(database);
  const root = process.cwd();
  afterEach(() => process.chdir(root));

  test.each(await listLines(false))("%s", async (example) => {
    const { folder, line, environment } = await prepare(example);
    await plantHostileTexts(database, "api_key");
    process.chdir(folder);
    for (const command of line.split(" && ")) {
      const { args, variables } = parseCommand(command);
      const { code, stdout, stderr } = await runCommand(args, { ...environment, ...variables });
      expect(code, stdout + stderr).toBe(0);
      expectPrintable(stdout + stderr);
    }
  });
});

/** Splits a simple command as a shell does: assignments, the name of the program, its arguments. */
function parseCommand(command: string): { args: string[]; variables: Record<string, string> } {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const at = words.indexOf("credence");
  expect(at, command).toBeGreaterThanOrEqual(0);
  const variables = Object.fromEntries(words.slice(0, at).map((word) => word.split("=") as [string, string]));
  return { args: words.slice(at + 1), variables };
}
