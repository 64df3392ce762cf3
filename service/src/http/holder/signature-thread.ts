import { parentPort } from "node:worker_threads";
import { verifySignature } from "#ownership/verify-signature.ts";

export type Check = { id: number; text: string; signature: string; address: string };

// The thread of signature-checks.ts. To recover a key takes 3 ms, in which no look-up would be answered.
parentPort?.on("message", ({ id, text, signature, address }: Check) => {
  parentPort?.postMessage({ id, isValid: verifySignature(text, signature, address) });
});
