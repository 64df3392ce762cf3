declare module "fastify" {
  interface FastifyRequest {
    /** The id of the caller's API key; null for a caller without one. Never the key itself. */
    keyId: string | null;
    /** When the request's headers were read. */
    startedAt: number;
  }
}

export {};
