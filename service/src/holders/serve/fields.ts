import type { FastifyInstance } from "fastify";
import { parseQuery } from "#core/http/connections/request-target.ts";
import type { Content } from "#core/http/respond/content.ts";
import type { Responder } from "#core/http/respond/respond.ts";

/** The body of a request, from a form or from JSON. */
type Fields = Readonly<Record<string, string>>;

/** What a handler needs of a request. A program that sends JSON gets JSON. */
export type Posted = { fields: Fields; isJson: boolean; ip: string };

const MAX_BODY_BYTES = 8_192;

/** A body that is neither a form nor a JSON object of texts. */
export class Unreadable extends Error {
  override name = "Unreadable";
}

/** Reads bodies of forms and JSON on the routes of this scope, and of nothing else. */
export function readFields(scope: FastifyInstance): void {
  const options = { parseAs: "string", bodyLimit: MAX_BODY_BYTES } as const;
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/x-www-form-urlencoded", options, async (_request: unknown, text: string) =>
    parseQuery(text),
  );
  scope.addContentTypeParser("application/json", options, async (_request: unknown, text: string) => parseObject(text));
}

function parseObject(text: string): Fields {
  try {
    const entries = Object.entries(JSON.parse(text) as object);
    if (entries.every(([, value]) => typeof value === "string")) return Object.fromEntries(entries) as Fields;
  } catch {
    // Answered below.
  }
  throw new Unreadable();
}

export function addPostRoute(
  app: FastifyInstance,
  url: string,
  { respond }: Responder,
  handle: (posted: Posted) => Content | Promise<Content>,
): void {
  app.post(url, async ({ body, ip, headers }, reply) => {
    const fields = (body as Fields | undefined) ?? {};
    respond(reply, url, await handle({ fields, isJson: sendsJson(headers["content-type"]), ip }));
    return reply;
  });
}

export const sendsJson = (contentType: string | undefined): boolean => /^application\/json\b/i.test(contentType ?? "");

/** A program gets JSON; a browser asks for a page. */
export const wantsJson = (accept = ""): boolean => accept.includes("application/json") && !accept.includes("text/html");
