import type { Command } from "commander";
import { flag } from "#cli/terminal/parse.ts";
import type { Environment } from "#config.ts";
import { parseHost, parsePort } from "#config-values.ts";

export type ListenOptions = { host?: string; port?: string };

/** Where to listen: the variables HOST and PORT as flags. */
export function listening(command: Command): Command {
  return command
    .option("-p, --port <number>", "the public port (default: PORT, or 8080)", portFlag)
    .option("--host <address>", "the address the public port listens on (default: HOST, or 127.0.0.1)", hostFlag);
}

/** What these flags say, as variables: a flag overrides its variable. */
export const asVariables = ({ host, port }: ListenOptions): Environment => ({
  ...(host !== undefined && { HOST: host }),
  ...(port !== undefined && { PORT: port }),
});

// Texts: the configuration parses them again, as it does variables.
export const portFlag = flag((text) => String(parsePort(text)));
const hostFlag = flag(parseHost);
