import type { Config } from "#core/config/config.ts";
import { composer } from "#core/http/respond/compose.ts";
import { type Content, JSON_TYPE } from "#core/http/respond/content.ts";
import { errorContent } from "#core/http/respond/errors.ts";
import { isSwitchedOff, lifeCycle, retryAfterHeader } from "#life-cycle/state-and-headers.ts";

export type PreviewedResponse = { status: number; headers: Record<string, string> };

const ANSWER: Content = { status: 200, body: "", type: JSON_TYPE, caching: "answer", isV1: true };

/** The headers that state the life cycle. */
const SHOWN = ["deprecation", "sunset", "link", "retry-after", "cache-control"];

/**
 * The response to a request for V1 at a time, in milliseconds, without a key, as the server composes
 * it. Only the headers of the life cycle are returned.
 */
export function previewResponse(config: Config, now: number): PreviewedResponse {
  const { state, until } = lifeCycle(config, now);
  const compose = composer(
    () => lifeCycle(config, now),
    config.authMode,
    () => now,
  );
  const { status, headers } = compose(isSwitchedOff(state) ? errorContent(state) : ANSWER, {
    requestId: "",
    keyId: null,
    hasKey: false,
    ifNoneMatch: undefined,
    limit: null,
    headers: state === "brownout" ? retryAfterHeader(until, now) : [],
    closes: false,
  });
  const shown = SHOWN.flatMap((name) => {
    const index = headers.indexOf(name);
    return index === -1 ? [] : [[name, headers[index + 1] as string]];
  });
  return { status, headers: Object.fromEntries(shown) };
}
