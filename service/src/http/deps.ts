import type { Logger } from "pino";
import type { Config } from "#config.ts";
import type { LifeCycle } from "#life-cycle/life-cycle.ts";
import type { Readers } from "#store/serving/choose-reader.ts";
import type { Keyring } from "./access/keyring.ts";
import type { Answers } from "./answers/answers.ts";
import type { LimitedConnections } from "./connections/connection-limits.ts";
import type { SignatureChecks } from "./holder-requests/signature-checks.ts";
import type { AppliedLimit, RateLimits } from "./limits/rate-limits.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { HttpSite } from "./pages/site.ts";
import type { Responder } from "./respond/respond.ts";

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
