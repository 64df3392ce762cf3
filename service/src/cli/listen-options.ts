import { type Command, InvalidArgumentError } from "commander";
import { type Environment, parseHost, parsePort } from "#config.ts";

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

export const portFlag = (text: string): string => checked(text, parsePort);
const hostFlag = (text: string): string => checked(text, parseHost);

/** The flag's text, if `parse` accepts it; the configuration parses it again, as it does a variable. */
function checked(text: string, parse: (text: string) => unknown): string {
  try {
    parse(text);
    return text;
  } catch (error) {
    const { message } = error as Error;
    throw new InvalidArgumentError(message.charAt(0).toUpperCase() + message.slice(1));
  }
}
