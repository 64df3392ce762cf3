import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { Command } from "commander";
import type { Config, Environment } from "#core/config/config.ts";
import { isLoopback, parseBaseUrl, parsePort } from "#core/config/config-values.ts";
import { VARIABLES } from "#core/config/variables.ts";
import type { Database } from "#core/database/database.ts";
import { READ_ONLY } from "#core/database/wrong-server.ts";
import { askNodes, type NodeReport } from "#core/process/ask-nodes.ts";
import { requireConfig, withAnyDatabase } from "#core/process/connect.ts";
import {
  describeUnknown,
  findStrayVariables,
  findUnknownVariables,
  type UnknownVariable,
} from "#core/process/unknown-variables.ts";
import type { Check } from "#core/terminal/check.ts";
import { formatCheck, withAdvice } from "#core/terminal/check-text.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { explain, Failure } from "#core/terminal/failure.ts";
import { formatCount, printMessage, printResult } from "#core/terminal/output.ts";
import { optionParser } from "#core/terminal/parse.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { checkNodes, checkTrustedProxies } from "#doctor/check-nodes.ts";
import { diagnoseDeployment } from "#doctor/deployment/diagnose-deployment.ts";
import { diagnose } from "#doctor/diagnose.ts";
import { describeState } from "#life-cycle/commands/life-cycle-text.ts";
import { findServedLifeCycle } from "#life-cycle/served-life-cycle.ts";
import { isSwitchedOff } from "#life-cycle/state-and-headers.ts";

type Options = { url?: string; httpPort?: number; envFile?: string; json?: boolean };

export const doctorCommand = (terminal: Terminal): Command =>
  new Command("doctor")
    .description("check an installation, or with --url a deployment from outside, and print what to do")
    .option("--url <url>", "check the deployment at this URL, as a client sees it", optionParser(parseBaseUrl))
    .option("--http-port <number>", "with --url: the port of plain http (default: 80)", optionParser(parsePort))
    .option("--env-file <file>", "check with the settings of this file, in which every name must be a setting")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Without --url, it asks the nodes (NODES), and checks configuration, names of variables, life cycle,
database, role, schema, documents, standing, workers, requests of holders and the clock. Run it with
the same environment as the process you want to check, or with the file that sets it: settings that
differ are reported. With NODES=none, no node is asked.

With --url, it checks the reverse proxy and the server behind it: TLS, headers, caching, keys,
the private port and readiness. Run it on a machine outside. It needs no database and no
configuration, and sends about 30 requests. If the URL has a port, plain http is checked with
--http-port only. For a private CA, set NODE_EXTRA_CA_CERTS to its file.

It changes nothing.

Examples:
  $ credence doctor
  $ credence doctor --env-file credence.env
  $ credence doctor --json | jq '.checks[] | select(.state != "ok")'
  $ credence doctor --url https://api.example.org`,
    )
    .action(async ({ url, httpPort, envFile, json }: Options) => {
      if (envFile !== undefined && url !== undefined)
        throw new Failure("--env-file cannot be combined with --url.", "Remove one of them.", EXIT.usage);
      if (httpPort !== undefined && url === undefined)
        throw new Failure("--http-port needs --url.", "Add --url, or remove --http-port.", EXIT.usage);
      const checks =
        url === undefined ? await checkInstallation(terminal, envFile) : await checkDeployment(url, httpPort);
      const failed = checks.filter((check) => check.state === "problem").length;
      const healthy = failed === 0;
      printResult(
        terminal,
        json,
        { healthy, checks },
        [...checks.map((check) => formatCheck(terminal.stdout, check)), "", formatTotal(checks)].join("\n"),
      );
      if (healthy) return;
      printMessage(terminal, `${formatCount(failed, "check")} failed. See the lines above for what to do.`);
      terminal.exitCode = EXIT.attention;
    });

async function checkInstallation(terminal: Terminal, envFile: string | undefined): Promise<Check[]> {
  if (envFile !== undefined) return checkSettings(terminal, envFile);
  const config = requireConfig(terminal);
  return [checkConfiguration(config), checkVariables(terminal.environment), ...(await checkWith(terminal, config))];
}

/** A file of settings may lack secrets, which are set elsewhere: its names are checked in any case. */
async function checkSettings(terminal: Terminal, path: string): Promise<Check[]> {
  const settings = parseEnv(await readFile(path, "utf8"));
  const variables = checkFile(path, Object.keys(settings));
  let config: ReturnType<typeof requireConfig>;
  try {
    config = requireConfig(terminal, settings);
  } catch (error) {
    const { message, advice } = explain(error);
    return [{ name: "configuration", state: "problem", finding: message.replaceAll("\n", ""), advice }, variables];
  }
  return [checkConfiguration(config), variables, ...(await checkWith(terminal, config))];
}

async function checkWith(terminal: Terminal, config: Config & { databaseUrl: string }): Promise<Check[]> {
  const nodes = await askNodes(config);
  const check = (database: Database) => diagnose(database, config, nodes);
  const checks = await withAnyDatabase(terminal, "doctor", check, config.databaseUrl, READ_ONLY);
  return [
    { name: "nodes", ...checkNodes(nodes) },
    checkLifeCycle(config, nodes),
    checkPrivatePort(config),
    { name: "proxies", ...checkTrustedProxies(nodes, config) },
    ...checks.map(withAdvice),
  ];
}

/** A URL with a port does not tell the port of plain http. */
function checkDeployment(url: string, httpPort?: number): Promise<Check[]> {
  return diagnoseDeployment({
    url,
    httpPort: httpPort ?? (new URL(url).port === "" ? 80 : null),
    privatePort: Number(VARIABLES.PRIVATE_PORT),
  });
}

const checkConfiguration = ({ publicUrl, host, port }: Config): Check => ({
  name: "configuration",
  state: "ok",
  finding: `with these settings, a server serves ${publicUrl} on ${host}:${port}`,
});

const checkVariables = (environment: Environment): Check =>
  describeVariables("warning", findUnknownVariables(environment), "no variable looks like a misspelt setting");

const checkFile = (path: string, names: readonly string[]): Check =>
  describeVariables("problem", findStrayVariables(names), `every name in "${path}" is a setting`);

function describeVariables(state: Check["state"], unknown: readonly UnknownVariable[], ok: string): Check {
  if (unknown.length === 0) return { name: "variables", state: "ok", finding: ok };
  const finding = unknown.map(describeUnknown).join(" ");
  return {
    name: "variables",
    state,
    finding,
    advice: "Correct the names. docs/reference/settings.md lists all settings.",
  };
}

function checkLifeCycle(config: Config, nodes: readonly NodeReport[]): Check {
  const name = "life cycle";
  const served = findServedLifeCycle(config, nodes, Date.now());
  const { state } = served.document;
  const finding = `the state of V1 is ${describeState(served)}`;
  if (!isSwitchedOff(state)) return { name, state: "ok", finding };
  const variable = state === "gone" ? "V1_SUNSET_AT" : "V1_BROWNOUTS";
  return { name, state: "warning", finding, advice: `Correct if it is planned. Otherwise change ${variable}.` };
}

function checkPrivatePort({ privateHost, privatePort }: Config): Check {
  const name = "private port";
  const address = `${privateHost}:${privatePort}`;
  if (isLoopback(privateHost)) return { name, state: "ok", finding: `${address}, this machine only` };
  const advice =
    "Metrics and detailed health are for operators only. Block the port in the firewall, or set PRIVATE_HOST to 127.0.0.1.";
  return { name, state: "warning", finding: `${address}: other machines can reach it`, advice };
}

function formatTotal(checks: readonly Check[]): string {
  const count = (state: Check["state"]): number => checks.filter((check) => check.state === state).length;
  const [warnings, problems] = [count("warning"), count("problem")];
  return `${formatCount(checks.length, "check")}: ${count("ok")} ok, ${formatCount(warnings, "warning")}, ${formatCount(problems, "problem")}.`;
}
