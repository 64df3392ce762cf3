import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { processEnvironment } from "#core/config/config.ts";

/** Sends variables of sd_notify(3), such as `READY=1`. Returns at once. */
export type Notify = (...variables: string[]) => void;

/** A notification must not delay the exit of the process for longer. */
const TIMEOUT_MS = 5_000;

/**
 * Reports the state of this process to systemd, if systemd asks for it with NOTIFY_SOCKET. Node has
 * no datagram sockets of the Unix domain, so the program `systemd-notify` sends each message.
 * Messages arrive in order. The first failure is logged as a warning.
 */
export function createNotify(log: Logger): Notify {
  if (!processEnvironment().NOTIFY_SOCKET) return () => {};
  let isFirstFailure = true;
  const warn = (error: unknown) => {
    if (isFirstFailure) log.warn({ err: error }, "cannot report to systemd: systemd-notify failed");
    isFirstFailure = false;
  };
  let last = Promise.resolve();
  return (...variables) => {
    last = last.then(() => send(variables)).catch(warn);
  };
}

async function send(variables: readonly string[]): Promise<void> {
  await promisify(execFile)("systemd-notify", [...variables], { timeout: TIMEOUT_MS });
}
