import type { FastifyInstance } from "fastify";
import { parseQuery } from "#core/http/connections/request-target.ts";

/** The body of a request, from a form or from JSON. */
export type Fields = Readonly<Record<string, string>>;

const MAX_BODY_BYTES = 8_192;
const NO_FIELDS: Fields = Object.freeze({});

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

export const fieldsOf = (body: unknown): Fields => (body as Fields | undefined) ?? NO_FIELDS;
