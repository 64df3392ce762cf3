import { appendFileSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";

// Runs before each test file. Counts what the file uses, if `npm run test:slow` asks for it.

const COUNT_START = fileURLToPath(new URL("count-start.cjs", import.meta.url));
const TICKS_PER_SECOND = 100;

// biome-ignore lint/style/noProcessEnv: child processes inherit these variables.
const environment = process.env;

if (environment.CREDENCE_TEST_EVENTS) {
  const file = expect.getState().testPath ?? "";
  environment.CREDENCE_TEST_FILE = file;
  const options = environment.NODE_OPTIONS ?? "";
  const counting = `--require ${JSON.stringify(COUNT_START)}`;
  if (!options.includes(counting)) environment.NODE_OPTIONS = `${options} ${counting}`;
  // Fast tests share a process.
  const [startedAt, cpuMsBefore] = [performance.now(), readCpuMs()];
  // Registered first, so it runs last.
  afterAll(() => {
    const ended = { file, wallMs: performance.now() - startedAt, cpuMs: readCpuMs() - cpuMsBefore };
    appendFileSync(environment.CREDENCE_TEST_EVENTS as string, `ended ${JSON.stringify(ended)}\n`);
  });
}

/** The CPU time of this process and of the child processes that have ended, from proc(5). */
function readCpuMs(): number {
  const [, fields = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
  const ticks = fields.split(" ").slice(11, 15).map(Number);
  return (ticks.reduce((sum, count) => sum + count, 0) * 1_000) / TICKS_PER_SECOND;
}
