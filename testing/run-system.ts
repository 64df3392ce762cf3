import { availableParallelism } from "node:os";
import { type CliOptions, parseCLI, startVitest, type TestModule } from "vitest/node";

// `npm run test:system`: runs the system tests. Arguments are those of vitest. A file in which time
// ran out is repeated once, alone: beside other files, the machine may have been too slow for it.

const { filter, options } = parseCLI(["vitest", "run", ...process.argv.slice(2)]);
// Fewer files at a time than of fast tests, because these keep the cores busy themselves, and some need
// answers within the time-outs of nginx.
const maxWorkers = Math.min(availableParallelism() + 1, 4);
const late = await runFiles(filter, { maxWorkers, ...options, project: "system" });
if (late.length > 0) {
  process.stdout.write(`\nTime ran out. Repeated alone:\n${late.join("\n")}\n`);
  await runFiles(late, { ...options, project: "system", maxWorkers: 1 });
}

/** Runs test files. Returns those to repeat: all that failed, if each failed only because time ran out. */
async function runFiles(files: string[], options: CliOptions): Promise<string[]> {
  process.exitCode = 0;
  const vitest = await startVitest(files, { ...options, run: true });
  await vitest.close();
  const failed = vitest.state.getTestModules().filter((module) => module.state() === "failed");
  const isRepeated = failed.every(ranOutOfTime) && vitest.state.getUnhandledErrors().length === 0;
  return isRepeated ? failed.map(({ moduleId }) => moduleId) : [];
}

function ranOutOfTime(module: TestModule): boolean {
  const tests = [...module.children.allTests("failed")];
  const errors = tests.flatMap((test) => test.result().errors ?? []);
  const others = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
  return tests.length > 0 && others.length === 0 && errors.every((error) => isTimeout(error, module.moduleId));
}

/**
 * `TimeRanOut` is thrown by service/proofs/harness.ts, the other error by vitest. In a test that is not
 * a proof, a timeout may be a process that does not stop, which must not be repeated.
 */
function isTimeout({ name, message }: { name?: string; message: string }, file: string): boolean {
  return name === "TimeRanOut" || (file.includes("/proofs/") && /^Test timed out in \d+ms/.test(message));
}
