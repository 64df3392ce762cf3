import type { FastifyInstance } from "fastify";
import type { Content } from "#core/http/respond/content.ts";
import type { Responder } from "#core/http/respond/respond.ts";
import { type Fields, fieldsOf } from "./read-fields.ts";

/** What a handler needs of a request. A program that sends JSON gets JSON. */
export type Posted = { fields: Fields; isJson: boolean; ip: string };

export function addPostRoute(
  app: FastifyInstance,
  url: string,
  { respond }: Responder,
  handle: (posted: Posted) => Content | Promise<Content>,
): void {
  app.post(url, async ({ body, ip, headers }, reply) => {
    const isJson = sendsJson(headers["content-type"]);
    respond(reply, url, await handle({ fields: fieldsOf(body), isJson, ip }));
    return reply;
  });
}

export const sendsJson = (contentType: string | undefined): boolean => /^application\/json\b/i.test(contentType ?? "");
