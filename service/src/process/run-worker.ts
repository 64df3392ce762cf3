import { destination } from "pino";
import { EXIT } from "#cli/terminal/exit-codes.ts";
import { STDOUT, say } from "#cli/terminal/output.ts";
import type { Config } from "#config.ts";
import { addRecalculated, nothingRecalculated } from "#operations/scores/recalculate.ts";
import { work } from "#worker/work.ts";
import { withDatabase } from "./connect.ts";
import { createLog } from "./log.ts";
import { refreshInChild } from "./standing-child.ts";

/** How often a busy worker says what it has done. */
const SAY_EVERY_MS = 10_000;
/** Categories are whatever data says. */
const MOST_WARNINGS = 100;

/** Works until a signal asks it to stop; what is under way is finished first. */
export async function runWorker(config: Config & { databaseUrl: string }): Promise<void> {
  const { databaseUrl, logLevel, standingMaxAgeMs } = config;
  const log = createLog(logLevel, destination({ dest: STDOUT, sync: true }));
  const stop = new AbortController();
  const signals = ["SIGTERM", "SIGINT"] as const;
  const onSignal = (signal: NodeJS.Signals) => {
    // A second one, of either kind, means now.
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    log.info({ signal }, "stopping");
    stop.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  let done = nothingRecalculated();
  const warned = new Set<string>();
  const report = () => {
    if (done.people > 0) log.info({ people: done.people, changed: done.changed }, "recalculated");
    done = nothingRecalculated();
  };
  const reporting = setInterval(report, SAY_EVERY_MS);
  await withDatabase(databaseUrl, "work", async (database) => {
    log.info("working");
    if (process.stderr.isTTY) say("Working. Stop with Ctrl-C.");
    await work(database, {
      standingMaxAgeMs,
      signal: stop.signal,
      refreshStanding: () => refreshInChild(stop.signal),
      onRecalculated(batch) {
        done = addRecalculated(done, batch);
        if (batch.set_aside > 0) log.warn({ people: batch.set_aside }, "set aside; credence passport due tells why");
        const unheard = batch.uncounted.filter((category) => !warned.has(category));
        if (unheard.length === 0 || warned.size > MOST_WARNINGS) return;
        for (const category of unheard) warned.add(category);
        log.warn({ categories: unheard }, "credentials of these categories count for nothing");
      },
      onStanding: (refreshed) => log.info(refreshed, "built the list"),
      onFailure: (job, error) => log.error({ job, err: error }, "failed; it is tried again"),
    });
  }).finally(() => {
    clearInterval(reporting);
    for (const signal of signals) process.off(signal, onSignal);
  });
  report();
  log.info("stopped");
}
