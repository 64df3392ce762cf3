import { Command } from "commander";
import { readConfig } from "#core/config/config.ts";
import { urlHost } from "#core/config/config-values.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { asVariables, type ListenOptions, withListenOptions } from "#core/terminal/listen-options.ts";
import { printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";

const TIMEOUT_MS = 5_000;

type Options = ListenOptions & { json?: boolean };
type Health = { ready: boolean; version: string | null; data_age_seconds: number | null };

const NOT_READY: Health = { ready: false, version: null, data_age_seconds: null };

export const healthCommand = (terminal: Terminal): Command =>
  withListenOptions(new Command("health").description("check whether the server on this machine is ready"))
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Requests /health/ready of the public port, with the same HOST and PORT as the server.
Exits with 0 if the server is ready, else with 1. For container health checks and supervisors.

Examples:
  $ credence health
  $ credence health --port 8081 --json`,
    )
    .action(async ({ json, ...flags }: Options) => {
      const { host, port } = readConfig({ ...terminal.environment, ...asVariables(flags) });
      const address = `http://${urlHost(host)}:${port}/health/ready`;
      const health = await requestHealth(address);
      const age = health.data_age_seconds === null ? "" : `, data ${health.data_age_seconds} s old`;
      printResult(
        terminal,
        json ?? false,
        health,
        health.ready ? `ready: version ${printable(health.version ?? "unknown")}${age}` : "not ready",
      );
      if (health.ready) return;
      printMessage(terminal, `No server reports ready at ${address}. The log of the server has the reason.`);
      terminal.exitCode = EXIT.failed;
    });

async function requestHealth(address: string): Promise<Health> {
  try {
    const response = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    return readHealth(await response.json());
  } catch {
    return NOT_READY;
  }
}

/** Another program may listen on the port and respond with anything. */
function readHealth(body: unknown): Health {
  const { ready, version, data_age_seconds: age } = Object(body) as Record<string, unknown>;
  if (typeof ready !== "boolean" || typeof version !== "string") return NOT_READY;
  return { ready, version, data_age_seconds: typeof age === "number" ? age : null };
}
