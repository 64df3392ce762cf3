import type { Connection } from "#core/database/database.ts";
import { isConnected } from "#core/database/server.ts";
import { SERVER_WITH_WORKERS } from "#core/process/server-name.ts";
import { type Finding, ok, warning } from "#core/terminal/check.ts";

/** Finds servers that are started with the obsolete option `--workers`. */
export async function checkServers(database: Connection): Promise<Finding> {
  if (!(await isConnected(database, SERVER_WITH_WORKERS))) return ok("none is started with --workers");
  return warning(
    "a server is started with --workers, and has one process",
    "Remove the option. To use another core, run another server: docs/reference/tuning.md#a-second-server.",
  );
}
