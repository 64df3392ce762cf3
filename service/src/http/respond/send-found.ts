import type { FastifyReply } from "fastify";
import type { Answer } from "#http/cache/answer-cache.ts";
import { timeOutIfStalled } from "#http/connections/stalled.ts";
import type { Deps } from "#http/deps.ts";
import { cachePolicy } from "./cache-control.ts";
import { matchesNone } from "./if-none-match.ts";
import { v1Headers } from "./v1-headers.ts";

export type SendFound = (reply: FastifyReply, answer: Answer) => void;

/**
 * The one way an answer leaves: its ready bytes, or 304 when the caller already has them. Past the framework, straight to the
 * response: there is nothing left to serialise or to hook into, and it would take a sixth of the time.
 */
export function foundSender({ config, record, phase }: Deps, route: string): SendFound {
  const policy = cachePolicy(config);
  const { link: ownLink = "", ...others } = v1Headers(config);
  const always = Object.entries(others).flat();

  function send(reply: FastifyReply, { wire, etag, link = ownLink }: Answer): void {
    const { request, raw } = reply;
    const { "cache-control": cacheControl, vary } = policy.found(request.keyId, Date.now());
    const headers = always.slice();
    headers.push("link", link, "cache-control", cacheControl, "vary", vary, "x-request-id", request.id, "etag", etag);
    // Whoever hears this goes elsewhere with the next request.
    if (phase() === "closing") headers.push("connection", "close");
    if (matchesNone(request.headers["if-none-match"], etag)) {
      headers.push("content-type", "application/json; charset=utf-8", "content-length", String(wire.length));
      raw.writeHead(200, headers).end(wire, "latin1");
    } else {
      raw.writeHead(304, headers).end();
    }
    timeOutIfStalled(raw.socket);
    record(request, route, raw.statusCode);
  }

  return (reply, answer) => {
    reply.hijack();
    // After all requests that have arrived were read: a client on the same machine, a proxy say, then wakes once for all responses.
    setImmediate(send, reply, answer);
  };
}

/** Sends what was found, now or when it is there; failures go to the error handler. */
export function whenFound(
  reply: FastifyReply,
  found: Answer | null | Promise<Answer | null>,
  send: (answer: Answer | null) => void,
): void {
  if (!(found instanceof Promise)) send(found);
  else found.then(send, (error) => reply.send(error)).catch(() => reply.raw.destroy());
}
