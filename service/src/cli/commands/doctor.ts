import { Command } from "commander";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { explain } from "#cli/terminal/failure.ts";
import { formatCount, paint, printMessage, printResult } from "#cli/terminal/output.ts";
import type { Config } from "#config.ts";
import { isLoopback } from "#config-values.ts";
import { lifeCycle } from "#life-cycle/life-cycle.ts";
import { type Check, diagnose } from "#operations/diagnosis/diagnose.ts";
import { requireConfig, withAnyDatabase } from "#process/connect.ts";

const COLOURS = { ok: "green", warning: "yellow", problem: "red" } as const;

export const doctorCommand = (): Command =>
  new Command("doctor")
    .description("check configuration, database, role, schema, documents and standing, and print what to do")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Run it with the same environment as the process you want to check. It changes nothing.

Examples:
  $ credence doctor
  $ credence doctor --json | jq '.checks[] | select(.state != "ok")'`,
    )
    .action(async (options: { json?: boolean }) => {
      const config = requireConfig();
      const checks: Check[] = [
        checkConfiguration(config),
        checkPrivatePort(config),
        ...(await withAnyDatabase("doctor", diagnose, config.databaseUrl)).map(withAdvice),
      ];
      const failed = checks.filter((check) => check.state === "problem").length;
      const healthy = failed === 0;
      printResult(options.json, { healthy, checks }, checks.map(formatCheck).join("\n"));
      if (healthy) return;
      printMessage(`${formatCount(failed, "check")} failed. See the lines above for what to do.`);
      process.exitCode = EXIT.attention;
    });

function checkConfiguration(config: Config): Check {
  const { publicUrl, host, port } = config;
  const name = "configuration";
  if (lifeCycle(config, Date.now()).state === "gone") {
    const advice = "If V1 is still in use, change V1_SUNSET_AT.";
    return { name, state: "warning", finding: "V1_SUNSET_AT has passed: every V1 response is 410", advice };
  }
  return { name, state: "ok", finding: `serves ${publicUrl} on ${host}:${port}` };
}

function checkPrivatePort({ privateHost, privatePort }: Config): Check {
  const name = "private port";
  const address = `${privateHost}:${privatePort}`;
  if (isLoopback(privateHost)) return { name, state: "ok", finding: `${address}, this machine only` };
  const advice =
    "Metrics and detailed health are for operators only. Block the port in the firewall, or set PRIVATE_HOST to 127.0.0.1.";
  return { name, state: "warning", finding: `${address}: other machines can reach it`, advice };
}

/** Explains a check that threw as any other failure. */
function withAdvice({ cause, ...check }: Check): Check {
  if (cause === undefined) return check;
  const { message, advice } = explain(cause);
  return { ...check, finding: message, advice };
}

function formatCheck({ name, state, finding, advice }: Check): string {
  const label = paint(COLOURS[state], state.padEnd(7), process.stdout);
  return `${label}  ${name.padEnd(13)}  ${finding}${advice === undefined ? "" : `\n${" ".repeat(24)}${advice}`}`;
}
