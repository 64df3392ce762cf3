import { ERRORS, type ErrorCode, errorBody } from "@credence/contract/errors.ts";
import type { FastifyReply } from "fastify";
import type { Config } from "#config.ts";
import type { Deps } from "#http/deps.ts";
import { cachePolicy } from "./cache-control.ts";
import { PREFLIGHT, v1Headers } from "./v1-headers.ts";

export type SendError = (reply: FastifyReply, code: ErrorCode) => FastifyReply;

/** Seconds after which it is worth asking again when the database did not answer. */
const RETRY_AFTER = "2";

/** All headers of an error: those of every V1 answer, and its own. */
export function errorHeaders(config: Config, code: ErrorCode): Record<string, string> {
  return {
    ...v1Headers(config),
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    ...(code === "unauthorized" && { "www-authenticate": 'ApiKey realm="v1", header="X-API-KEY"' }),
    ...(code === "method_not_allowed" && { allow: PREFLIGHT.allow }),
    ...(code === "unavailable" && { "retry-after": RETRY_AFTER }),
  };
}

/** The one way an error leaves: complete by itself, as some of the framework's paths run no hooks. */
export function errorSender({ config, record, phase }: Pick<Deps, "config" | "record" | "phase">): SendError {
  const policy = cachePolicy(config);
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const headers = new Map(codes.map((code) => [code, errorHeaders(config, code)]));
  return (reply, code) => {
    reply
      .code(ERRORS[code].status)
      .headers(headers.get(code) ?? {})
      .header("x-request-id", reply.request.id);
    record(reply.request, reply.request.routeOptions.url ?? "none", ERRORS[code].status);
    // Whoever hears this goes elsewhere with the next request, before this process is gone. Not while the port is open: they
    // would come back by a new connection, and those still waiting to be taken when the port closes are lost.
    if (phase() === "closing") reply.header("connection", "close");
    if (code === "not_found") reply.headers(policy.missing(reply.request.headers["x-api-key"], Date.now()));
    return reply.send(errorBody(code));
  };
}
