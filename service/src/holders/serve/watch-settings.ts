import type { Logger } from "pino";
import type { Database } from "#core/database/database.ts";
import { runReadWrite } from "#core/database/run-read-write.ts";
import {
  describePromiseDifferences,
  listSettingsInUse,
  type PromiseSettings,
  settingsRow,
} from "#holders/settings-in-use.ts";

const REPORT_EVERY_MS = 30_000;
/** While processes restart with other settings, they differ for a moment. */
const LASTING_MS = 120_000;

/** Stores the settings of this server, and warns if those of workers or other servers differ from them. */
export function watchSettings(
  log: Logger,
  database: Database,
  config: PromiseSettings,
  { everyMs = REPORT_EVERY_MS, lastingMs = LASTING_MS } = {},
): { stop: () => void } {
  const settings = settingsRow("server", config);
  let differing = "";
  let since = Date.now();
  let isLogged = false;
  const compare = async () => {
    const { holder_requests, erase_grace_seconds, public_url, holder_keys } = settings;
    await runReadWrite(database, "select report_holder_settings($1, $2, $3, $4)", [
      holder_requests,
      erase_grace_seconds,
      public_url,
      holder_keys,
    ]);
    const running = (await listSettingsInUse(database)).filter(({ is_running }) => is_running);
    const found = describePromiseDifferences(running).join("; ");
    if (found !== differing) {
      differing = found;
      since = Date.now();
      isLogged = false;
    }
    if (found === "" || isLogged || Date.now() - since < lastingMs) return;
    isLogged = true;
    log.warn(
      { differing },
      "servers and workers have different settings for requests of holders: set the same for all, and restart them; until then the more careful setting counts",
    );
  };
  // An unreachable database is reported elsewhere, and a schema that is too old too.
  const compareIfReachable = () => void compare().catch(() => {});
  compareIfReachable();
  const timer = setInterval(compareIfReachable, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
