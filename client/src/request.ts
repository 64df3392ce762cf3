import { V1Error } from "./errors.ts";
import { createNotifier, type Notice } from "./notices.ts";
import { createPace } from "./pace.ts";
import { readResponse } from "./response.ts";
import { sleep, startDeadline } from "./time.ts";

export type ClientOptions = {
  /** The URL of the server, without `/api/v1`, such as `https://v1.example`. */
  baseUrl: string | URL;
  /** Sent as `X-API-KEY`. Do not put a key into a web page: every visitor can read it. */
  apiKey?: string | undefined;
  /** Replaces the global `fetch`, for example to add a header. */
  fetch?: typeof fetch | undefined;
  /** The time for a whole call with its retries, after its wait for the rate limit. Default 10,000. */
  timeoutMs?: number | undefined;
  /** How often a call is repeated after 429, 503 or a network failure. Default 2. */
  retries?: number | undefined;
  /**
   * How many responses are stored, so that unchanged ones are not sent again. Default 100; in a web
   * page 0, because the browser has a cache.
   */
  etagEntries?: number | undefined;
  /** Called once for each distinct notice: the dates of V1, and the rate limit. */
  onNotice?: ((notice: Notice) => void) | undefined;
};

export type CallOptions = {
  /** Aborts the call, which then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
};

const FIRST_WAIT_MS = 250;
const MAX_JITTER_MS = 1000;

/**
 * Sends a GET that costs so many points, and decodes the body. Null: V1 responds that the resource
 * does not exist.
 */
export type Request = <Body, Result>(
  path: string,
  points: number,
  decode: (body: Body) => Result,
  options?: CallOptions,
) => Promise<Result | null>;

export function createRequest({
  baseUrl,
  apiKey,
  fetch: customFetch,
  timeoutMs = 10_000,
  retries = 2,
  etagEntries = "document" in globalThis ? 0 : 100,
  onNotice = () => {},
}: ClientOptions): Request {
  const root = readBaseUrl(baseUrl);
  const keyHeader = readKey(apiKey);
  const notify = createNotifier(onNotice);
  const pace = createPace();
  // By URL, the least recently used first. A client has one key, so keys share nothing.
  const stored = new Map<string, { etag: string; text: string }>();

  async function load(url: string, etag: string | undefined, signal: AbortSignal) {
    const headers = { ...keyHeader, ...(etag && { "If-None-Match": etag }) };
    // V1 has no redirects. Following one would send the key to another server.
    const response = await (customFetch ?? fetch)(url, { headers, redirect: "manual", signal });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  return async (path, points, decode, { signal } = {}) => {
    const url = root + path;
    const turnMs = pace.reserve(points);
    if (turnMs) await sleep(turnMs, signal);
    const end = Date.now() + timeoutMs;
    const deadline = startDeadline(timeoutMs, signal);

    const attempt = async () => {
      const entry = stored.get(url);
      const { status, headers, text } = await load(url, entry?.etag, deadline.signal).catch((cause) => {
        pace.settle(points);
        if (signal?.aborted) throw signal.reason;
        if (deadline.signal.aborted) throw new V1Error("timeout", `No response within ${timeoutMs} ms.`, { cause });
        throw new V1Error("network", "No response from the server.", { cause });
      });
      pace.settle(points, status !== 429, headers);
      notify(headers);
      const isUnchanged = status === 304 && entry;
      const body = isUnchanged ? entry.text : text;
      const result = readResponse(url, isUnchanged ? 200 : status, headers, body, decode);
      // Only now: after a 429 or 503, a retry needs the stored response.
      stored.delete(url);
      const etag = headers.get("etag");
      if (etag && result !== null) stored.set(url, { etag, text: body });
      for (const oldest of stored.keys()) if (stored.size > etagEntries) stored.delete(oldest);
      return result;
    };

    try {
      for (let count = 0; ; count += 1) {
        try {
          return await attempt();
        } catch (error) {
          const waitMs = Math.max(retryWait(error, count), pace.reserve(points));
          if (count >= retries || Date.now() + waitMs >= end) {
            pace.settle(points);
            throw error;
          }
          await sleep(waitMs, deadline.signal);
        }
      }
    } finally {
      deadline.stop();
    }
  };
}

/** How long to wait before a retry; infinite if a retry does not help. */
function retryWait(error: unknown, count: number): number {
  if (!(error instanceof V1Error)) return Infinity;
  const { code, status, retryAfterMs } = error;
  if (code !== "network" && status !== 429 && status !== 503) return Infinity;
  const waitMs = retryAfterMs ?? FIRST_WAIT_MS * 2 ** count;
  // Clients that were refused together must not return together.
  return waitMs + Math.random() * Math.min(waitMs, MAX_JITTER_MS);
}

export function readBaseUrl(baseUrl: string | URL): string {
  const { protocol, origin, pathname, href } = new URL(baseUrl);
  if (!/^https?:$/.test(protocol) || origin + pathname !== href) {
    throw new TypeError("baseUrl must be an http or https URL without user name, query and fragment.");
  }
  const root = href.replace(/\/+$/, "");
  const right = root.replace(/\/+api\/v\d+$/, "");
  if (root !== right) throw new TypeError(`baseUrl must be ${right}, without /api/v1.`);
  return `${root}/api/v1/`;
}

function readKey(apiKey: string | undefined): Record<string, string> {
  if (!apiKey) return {};
  if (!/^[!-~]+$/.test(apiKey)) throw new TypeError("apiKey contains a space, a line break or a non-ASCII character.");
  return { "X-API-KEY": apiKey };
}
