import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { splitLines } from "#core/files/lines.ts";
import { type Observation, parseObservation, printObservation } from "./observation.ts";
import { MAX_BODY_BYTES } from "./read-saved.ts";

/** How much `sort` holds in memory; the rest is in temporary files. */
const MEMORY = "64M";
const MAX_LINE_BYTES = MAX_BODY_BYTES + 1_024;

/**
 * Sorts observations by id with the system's `sort`, in files of this folder, which is created and
 * removed: memory does not depend on their number. Observations of one id keep their order.
 */
export async function* sortObservations(
  observations: AsyncIterable<Observation>,
  folder: string,
): AsyncGenerator<Observation> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  const sort = spawn("sort", ["-s", "-n", "-k", "1,1", "-S", MEMORY, "-T", folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(sort, "close");
  const written = pipeline(Readable.from(printLines(observations)), sort.stdin);
  try {
    // An error of the input is thrown here, not as an early end of the output; so is a missing `sort`.
    await Promise.race([written, ended]);
    for await (const lines of splitLines(sort.stdout, MAX_LINE_BYTES)) {
      for (const { bytes } of lines) yield parseObservation(bytes.toString("utf8"));
    }
    const [code] = await ended;
    if (code !== 0) throw new Error(`The command sort failed with exit code ${code}.`);
  } finally {
    sort.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

async function* printLines(observations: AsyncIterable<Observation>): AsyncGenerator<string> {
  for await (const observation of observations) yield `${printObservation(observation)}\n`;
}
