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

/** What the HTTP side is built from. Everything is handed in: nothing here is global. */
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
  /** `draining` from the moment the process was asked to stop, `closing` once its ports take no new connection. */
  phase: () => Phase;
};
