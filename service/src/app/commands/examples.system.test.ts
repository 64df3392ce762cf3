import { describe, expect, test } from "vitest";
import { listLines, prepareExamples } from "#testing/help-examples.ts";
import { startShell, stopShell } from "#testing/shell.ts";

const SERVING = /"serving"|Credence is serving/;

describe("every example of --help that needs a shell works", async () => {
  const { prepare } = await prepareExamples();

  test.each(await listLines(true))("%s", async (example) => {
    const { folder, line, environment } = await prepare(example);
    // Standard input is closed, and output goes to a pipe: no prompt can be answered.
    const shell = startShell(`exec <&-\n${line}`, folder, environment);
    if (/credence (serve|demo)\b/.test(example)) {
      await expect.poll(shell.output).toMatch(SERVING);
      stopShell(shell.process);
      await shell.ended;
      return;
    }
    const { code, output } = await shell.ended;
    expect(code, output).toBe(0);
  });
});
