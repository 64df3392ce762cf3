import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** The page to read the API's reference, and the script it runs. */
export type Reference = { page: string; script: string };

/** By a thread of its own, which ends: to load what renders takes 35 MB, and a third of a second in which nobody is answered. */
export async function renderReference(nonce: string): Promise<Reference> {
  const thread = new Worker(new URL("render-reference.ts", import.meta.url), { workerData: nonce });
  const [reference] = await once(thread, "message");
  return reference;
}
