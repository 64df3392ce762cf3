import type { Command } from "commander";
import type { Environment } from "#core/config/config.ts";
import { parseHost, parsePort } from "#core/config/config-values.ts";
import { optionParser } from "./parse.ts";

export type ListenOptions = { host?: string; port?: string; privatePort?: string };

/** Adds the options that override the variables HOST and PORT. */
export function withListenOptions(command: Command): Command {
  return command
    .option("-p, --port <number>", "the public port (default: PORT, or 8080)", parsePortOption)
    .option(
      "--host <address>",
      "the address the public port listens on (default: HOST, or 127.0.0.1)",
      parseHostOption,
    );
}

/** The variables that these options override. */
export const asVariables = ({ host, port, privatePort }: ListenOptions): Environment => ({
  ...(host !== undefined && { HOST: host }),
  ...(port !== undefined && { PORT: port }),
  ...(privatePort !== undefined && { PRIVATE_PORT: privatePort }),
});

// The results are texts because they replace variables, which are parsed again.
export const parsePortOption = optionParser((text) => String(parsePort(text)));
const parseHostOption = optionParser(parseHost);
