import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { SERVER_CORE } from "./load-process.ts";

export type Control = { address: string; stop: () => Promise<void> };

const PROGRAM = fileURLToPath(new URL("control-server.ts", import.meta.url));
const PRIORITY = "10";
/** With real-time priority, V8 waits in a loop for its other threads, and keeps them from running. */
const ONE_THREAD = "--single-threaded";

/** A trivial server for comparison: what it takes to respond is not due to an attack. */
export async function startControl(): Promise<Control> {
  const args = ["-f", PRIORITY, "taskset", "-c", SERVER_CORE, process.execPath, ONE_THREAD, PROGRAM];
  const child = spawn("chrt", args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [{ port }] = (await once(child, "message")) as [AddressInfo];
  return {
    address: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = once(child, "close");
      child.kill("SIGKILL");
      await closed;
    },
  };
}
