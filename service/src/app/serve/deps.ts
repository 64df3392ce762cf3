import type { Logger } from "pino";
import type { Config } from "#core/config/config.ts";
import type { LimitedConnections } from "#core/http/connections/connection-limits.ts";
import type { AppliedLimit, RateLimits } from "#core/http/limits/rate-limits.ts";
import type { Metrics } from "#core/http/metrics/metrics.ts";
import type { Responder } from "#core/http/respond/respond.ts";
import type { Readers } from "#core/readers/choose-reader.ts";
import type { HttpSite } from "#explorer/site/site.ts";
import type { SignatureChecks } from "#holders/serve/signature-checks.ts";
import type { Keyring } from "#keys/serve/keyring.ts";
import type { LifeCycle } from "#life-cycle/life-cycle.ts";
import type { Answers } from "#v1/answers/answers.ts";

export type Phase = "serving" | "draining" | "closing";

/** The dependencies of the public port. Nothing is global. */
export type Deps = {
  config: Config;
  readers: Readers;
  answers: Answers;
  log: Logger;
  metrics: Metrics;
  responder: Responder;
  site: HttpSite;
  lifeCycle: () => LifeCycle;
  keyring: Keyring;
  connections: LimitedConnections;
  limits: RateLimits;
  signatures: SignatureChecks;
  /** Called for each request to a path that is no endpoint. */
  onUnknownPath: (path: string) => void;
  /** False until the schema of the database was checked. */
  isSchemaCurrent: () => boolean;
  /** `draining` once the process is asked to stop, `closing` once its port is closed. */
  phase: () => Phase;
};

declare module "fastify" {
  interface FastifyRequest {
    /** The id of the caller's API key; null for a caller without one. Never the key itself. */
    keyId: string | null;
    /** The limit that applies; null if there is none, or before the request was charged. */
    limit: AppliedLimit | null;
    /** The response is sent late, because the client sends too much. */
    isDelayed: boolean;
    /** Who sent the request, if `keyId` is null: `anonymous`, `unknown key` or a revoked key's id. */
    client: string;
    hasKeyInUrl: boolean;
    /** When the request's headers were read. */
    startedAt: number;
  }
}
