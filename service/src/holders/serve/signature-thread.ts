import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { verifySignature } from "#holders/proof/verify-signature.ts";

export type Check = { id: number; text: string; signature: string; address: string };

// The thread of signature-checks.ts. To recover a key takes 3 ms, in which no look-up would be answered.
lowerPriority();

/** If they share a core, look-ups go first: on Linux, a priority is that of the calling thread. */
function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The system does not permit it, or the process has a lower priority already.
  }
}

parentPort?.on("message", ({ id, text, signature, address }: Check) => {
  parentPort?.postMessage({ id, isValid: verifySignature(text, signature, address) });
});
// The first message: all files are loaded.
parentPort?.postMessage({ id: 0 });
