import { Command } from "commander";
import { type Check, diagnose } from "#operations/diagnose.ts";
import { configured } from "./connect.ts";
import { EXIT } from "./exit-codes.ts";
import { paint, printResult, say } from "./output.ts";

const COLOURS = { ok: "green", warning: "yellow", problem: "red" } as const;

export const doctorCommand = (): Command =>
  new Command("doctor")
    .description("check configuration, database, role, schema, documents and list, and say what to do")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Run it with the same environment as the process you wonder about. It changes nothing.

Examples:
  $ credence doctor
  $ credence doctor --json | jq '.checks[] | select(.state != "ok")'`,
    )
    .action(async (options: { json?: boolean }) => {
      const config = configured();
      const checks: Check[] = [
        { name: "configuration", state: "ok", finding: `serves ${config.publicUrl} on ${config.host}:${config.port}` },
        ...(await diagnose(config.databaseUrl)),
      ];
      const healthy = checks.every((check) => check.state !== "problem");
      printResult(options.json ?? false, { healthy, checks }, checks.map(printCheck).join("\n"));
      if (healthy) return;
      say("Something wants mending: the lines above say what.");
      process.exitCode = EXIT.attention;
    });

function printCheck({ name, state, finding, advice }: Check): string {
  const label = paint(COLOURS[state], state.padEnd(7), process.stdout);
  return `${label}  ${name.padEnd(13)}  ${finding}${advice === undefined ? "" : `\n${" ".repeat(24)}${advice}`}`;
}
