import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { expect } from "vitest";
import { run } from "#cli.ts";
import { showOnFailure } from "./show-on-failure.ts";
import { MAIN, testTerminal } from "./terminal.ts";
import { UNLIMITED } from "./unlimited.ts";
import { whenDone } from "./when-done.ts";

export type Ended = { code: number | null; stdout: string; stderr: string };
export type Running = {
  process: ChildProcessByStdio<null, Readable, Readable>;
  output: { stdout: string; stderr: string };
  ended: Promise<Ended>;
};

/** Starts `credence` in a child process, with standard input closed. For commands that go on until a signal. */
export function startCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
  program = MAIN,
): Running {
  // biome-ignore lint/style/noProcessEnv: a child needs PATH and the like.
  const env = { ...process.env, DATABASE_URL: undefined, NO_COLOR: "1", NODES: "none", ...environment };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const { promise: ended, resolve } = Promise.withResolvers<Ended>();
  child.on("close", (code) => resolve({ code, ...output }));
  showOnFailure(`credence ${args.join(" ")}`, () => output.stdout + output.stderr);
  whenDone(() => void child.kill("SIGKILL"));
  return { process: child, output, ended };
}

/** Runs a command in this process. Only `environment` is visible to it. */
export async function runCommand(
  args: readonly string[],
  environment: Record<string, string | undefined> = {},
  stdin = "",
): Promise<Ended> {
  const terminal = testTerminal(args, environment, stdin);
  await run(terminal);
  return { code: terminal.exitCode, ...terminal.printed() };
}

/** Starts `credence serve` on free ports and waits until it logs its addresses. */
export async function startServing(
  environment: Record<string, string>,
  args: readonly string[] = [],
  program = MAIN,
): Promise<Running & { address: string; privateAddress: string }> {
  const running = startCommand(
    ["serve", ...args],
    { PORT: "0", PRIVATE_PORT: "0", ...UNLIMITED, ...environment },
    program,
  );
  await expect.poll(() => running.output.stdout + running.output.stderr).toContain('"serving"');
  // Every test checks that no API key is logged.
  whenDone(() => expect(running.output.stdout + running.output.stderr).not.toMatch(/crd_[0-9A-Za-z]{48}/));
  const line = running.output.stdout.split("\n").find((text) => text.includes('"serving"')) as string;
  const { address, privateAddress } = JSON.parse(line);
  return { ...running, address, privateAddress };
}
