import { destination } from "pino";
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import { withDatabase } from "#core/process/connect.ts";
import { createLog, STDOUT } from "#core/process/log.ts";
import { createFailureLog } from "#core/process/log-failures.ts";
import { nextSignal } from "#core/process/next-signal.ts";
import { createNotify } from "#core/process/notify-systemd.ts";
import { describeUnknown, findUnknownVariables } from "#core/process/unknown-variables.ts";
import { watchClock } from "#core/process/watch-clock.ts";
import { printMessage } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { requireKeyOfFile } from "#decisions/keep-file.ts";
import { reportRequests } from "#holders/manage/jobs.ts";
import { holderSettings } from "#holders/manage/settings.ts";
import { GRACE_TOO_LONG } from "#holders/waiting-requests.ts";
import { refreshInChild } from "#list/manage/standing-child.ts";
import { work } from "./work.ts";

/** Works until a signal, then finishes the current batch. */
export async function runWorker(terminal: Terminal, config: Config & { databaseUrl: string }): Promise<void> {
  const { databaseUrl, logLevel, standingMaxAgeMs, usageRetentionDays } = config;
  requireKeyOfFile(config);
  const log = createLog(logLevel, destination({ dest: STDOUT, sync: true }));
  const notify = createNotify(log);
  const stop = new AbortController();
  nextSignal().then((signal) => {
    log.info({ signal }, "stopping");
    notify("STOPPING=1", "STATUS=Completing the current batch.");
    stop.abort();
  });
  let clock: { stop: () => void } | undefined;
  const run = async (database: Database) => {
    for (const variable of findUnknownVariables(terminal.environment)) log.warn(describeUnknown(variable));
    if (config.isEraseGraceTooLong) log.warn(GRACE_TOO_LONG);
    log.info({ holderRequests: config.holderRequests }, "working");
    clock = watchClock(log, database);
    notify("READY=1", "STATUS=Working.");
    if (terminal.stderr.isTTY) printMessage(terminal, "Working. Stop with Ctrl-C.");
    await work(database, {
      standingMaxAgeMs,
      usageRetentionDays,
      holders: holderSettings(config),
      decisions: config,
      onOlder: (message) => log.error(message),
      onRequests: (processed) => reportRequests(log, processed),
      signal: stop.signal,
      refreshStanding: () => refreshInChild(terminal, stop.signal),
      onStanding: (refreshed) => log.info(refreshed, "built the list"),
      onFailure: createFailureLog(log),
    });
  };
  await withDatabase(terminal, "work", run, { url: databaseUrl, writesAs: "work" }).finally(() => clock?.stop());
  log.info("stopped");
}
