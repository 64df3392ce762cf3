import fc from "fast-check";
import { withProofDatabase } from "./harness.ts";
import { commandLists } from "./holder-states/commands.ts";
import { createWorld, prepareFaults } from "./holder-states/world.ts";

const PROGRESS_EVERY = 500;

/**
 * Random interleavings of requests of holders with everything they meet: imports, merged records, shared
 * wallets, decisions of the operator, repeated and withdrawn requests, several workers, faults,
 * clocks, rotated keys, other PUBLIC_URLs, and the passing of time. After each command the invariants
 * are checked.
 */
export function proveHolderStates(runs: number, seed?: number) {
  return withProofDatabase(async ({ database }) => {
    await prepareFaults(database);
    let done = 0;
    const states: Record<string, number> = {};
    const started = performance.now();
    await fc.assert(
      fc.asyncProperty(commandLists, fc.boolean(), async (commands, isServerKnown) => {
        const world = await createWorld(database, isServerKnown);
        try {
          await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
          const { rows } = await database.query("select action, state from holder_request");
          for (const { action, state } of rows) {
            states[`${action} ${state}`] = (states[`${action} ${state}`] ?? 0) + 1;
          }
        } finally {
          await database.query("delete from fault");
          await database.query("delete from holder_request");
        }
        done += 1;
        if (done % PROGRESS_EVERY === 0) process.stderr.write(`${done} of ${runs}\n`);
      }),
      { numRuns: runs, ...(seed !== undefined && { seed }) },
    );
    const seconds = Math.round((performance.now() - started) / 1_000);
    return { runs, seconds, states: Object.fromEntries(Object.entries(states).toSorted()) };
  });
}
