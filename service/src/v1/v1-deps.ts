import type { Logger } from "pino";
import type { Config } from "#core/config/config.ts";
import type { UntrustedProxy } from "#core/http/connections/untrusted-proxy.ts";
import type { RateLimits } from "#core/http/limits/rate-limits.ts";
import type { Responder } from "#core/http/respond/respond.ts";
import type { KeyCounts } from "#keys/serve/key-metrics.ts";
import type { Keyring } from "#keys/serve/keyring.ts";
import type { LifeCycle } from "#life-cycle/state-and-headers.ts";
import type { Answers } from "./answers/answers.ts";

/** What V1 needs of a process that serves. */
export type V1Deps = {
  config: Config;
  log: Logger;
  answers: Answers;
  keyring: Keyring;
  limits: RateLimits;
  untrustedProxy: UntrustedProxy;
  keyCounts: KeyCounts;
  responder: Responder;
  lifeCycle: () => LifeCycle;
};
