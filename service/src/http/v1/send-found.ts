import type { FastifyReply } from "fastify";
import type { CachePolicy } from "./cache-policy.ts";
import { matchesNone } from "./if-none-match.ts";

/** Sends an answer's ready bytes, or 304 when the caller already has them. */
export function sendFound(reply: FastifyReply, policy: CachePolicy, body: string, etag: string): FastifyReply {
  reply.headers(policy.found(reply.request.keyId, Date.now())).header("etag", etag);
  if (!matchesNone(reply.request.headers["if-none-match"], etag)) return reply.code(304).send();
  return reply.header("content-type", "application/json; charset=utf-8").send(body);
}
