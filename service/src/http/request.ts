declare module "fastify" {
  interface FastifyRequest {
    /** The id of the caller's key; null for a caller without one. Never the key. */
    keyId: string | null;
    /** When its headers had been read. */
    startedAt: number;
    /** True once its answer is counted. */
    recorded: boolean;
  }
}

export {};
