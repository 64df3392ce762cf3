import type { Logger } from "pino";
import type { Config } from "#config.ts";
import type { LifeCycle } from "#life-cycle/life-cycle.ts";
import type { Readers } from "#store/serving/readers.ts";
import type { Keyring } from "./access/keyring.ts";
import type { AnswerCache } from "./cache/answer-cache.ts";
import type { LimitedConnections } from "./connections/connection-limits.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Responder } from "./respond/respond.ts";

export type Phase = "serving" | "draining" | "closing";

/** The dependencies of the public port. Nothing is global. */
export type Deps = {
  config: Config;
  readers: Readers;
  cache: AnswerCache;
  log: Logger;
  metrics: Metrics;
  responder: Responder;
  lifeCycle: () => LifeCycle;
  keyring: Keyring;
  connections: LimitedConnections;
  /** False until the schema of the database was checked. */
  isSchemaCurrent: () => boolean;
  /** `draining` once the process is asked to stop, `closing` once its port is closed. */
  phase: () => Phase;
};
