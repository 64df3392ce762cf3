import { type Content, JSON_TYPE } from "#core/http/respond/content.ts";
import type { Answer } from "./cache/answer-cache.ts";

/** The response with a V1 answer. */
export const answerContent = ({ wire, etag }: Answer): Content => ({
  status: 200,
  body: wire,
  type: JSON_TYPE,
  etag,
  caching: "answer",
  isV1: true,
});

/** Applies `toContent` to an answer that is cached or being loaded. */
export function whenFound(
  found: Answer | null | Promise<Answer | null>,
  toContent: (answer: Answer | null) => Content,
): Content | Promise<Content> {
  return found instanceof Promise ? found.then(toContent) : toContent(found);
}
