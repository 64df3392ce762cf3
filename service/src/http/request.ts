import type { AppliedLimit } from "./limits/rate-limits.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The id of the caller's API key; null for a caller without one. Never the key itself. */
    keyId: string | null;
    /** The limit that applies; null if there is none, or before the request was charged. */
    limit: AppliedLimit | null;
    /** The response is sent late, because the client sends too much. */
    isLate: boolean;
    /** Who sent the request, if `keyId` is null: `anonymous`, `unknown key` or a revoked key's id. */
    client: string;
    hasKeyInUrl: boolean;
    /** When the request's headers were read. */
    startedAt: number;
  }
}
