import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

// Separate processes, so that the event loops of the attacker and the client are independent.

export const SERVER_CORE = "0";
const LOAD_CORE = availableParallelism() > 1 ? "1" : "0";

export type LoadProcess = {
  call: <Result>(call: string, options?: object) => Promise<Result>;
  /** Kills the process. Pending calls are rejected. */
  stop: () => Promise<void>;
};

type Reply = { id: number; result?: unknown; error?: string };

/** Starts a program of this folder, pinned to a core that the server does not use. */
export function startLoadProcess(program: string, niceness: number): LoadProcess {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const args = ["-c", LOAD_CORE, "nice", "-n", String(niceness), process.execPath, path];
  const child = spawn("taskset", args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  child.on("message", ({ id, result, error }: Reply) => {
    const pending = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(error));
  });
  const closed = once(child, "close").then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`${program} ended.`));
    waiting.clear();
  });
  return {
    call: <Result>(call: string, options: object = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      calls += 1;
      waiting.set(calls, { promise, resolve, reject });
      child.send({ id: calls, call, options }, (error) => {
        if (error) reject(error);
      });
      return promise as Promise<Result>;
    },
    stop: async () => {
      child.kill("SIGKILL");
      await closed;
    },
  };
}
