import type { Logger } from "pino";
import type { Config } from "#config.ts";
import type { Database } from "#store/database.ts";
import type { Keyring } from "./access/keyring.ts";
import type { Metrics } from "./metrics.ts";

export type Phase = "serving" | "draining" | "closing";

/** What the HTTP side is built from. Everything is handed in: nothing here is global. */
export type Deps = {
  config: Config;
  database: Database;
  log: Logger;
  metrics: Metrics;
  keyring: Keyring;
  /** `draining` from the moment the process was asked to stop, `closing` once its ports take no new connection. */
  phase: () => Phase;
};
