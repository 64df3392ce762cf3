import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Terminal } from "#core/terminal/terminal.ts";

export const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export type TestTerminal = Terminal & { printed: () => { stdout: string; stderr: string } };

/** A terminal that keeps what a command prints. Nothing of this process is visible to the command. */
export function testTerminal(
  args: readonly string[] = [],
  environment: Record<string, string | undefined> = {},
  stdin = "",
): TestTerminal {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  return {
    program: MAIN,
    args,
    // A server of another test, or of this machine, is none of its business.
    environment: { NO_COLOR: "1", NODES: "none", ...environment },
    stdin: Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]),
    stdout: writeTo(stdout),
    stderr: writeTo(stderr),
    printed: () => ({ stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    exitCode: 0,
    exit: (code) => {
      throw new Error(`The command ended the process with ${code}.`);
    },
    onInterrupt: () => {},
    removeHandlers: () => {},
  };
}

const writeTo = (chunks: Buffer[]): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
