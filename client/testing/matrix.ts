// Runs in Node and in a browser: no modules of Node.
import { type Client, type ClientOptions, createClient, V1Error } from "../src/client.ts";

/** What became of a call, as JSON. */
export type Outcome =
  | { value: unknown }
  | { failure: Pick<V1Error, "code" | "status" | "retryAfterMs" | "requestId"> }
  | { rejection: string };

type Connect = (options?: Partial<ClientOptions>) => Client;
type Call = readonly [scenario: string, call: (connect: Connect) => unknown];

const find = (connect: Connect) => connect().findPassport(1);
const findWith = (signal: () => AbortSignal) => (connect: Connect) => connect().findPassport(1, { signal: signal() });
const findWithin = (timeoutMs: number) => (connect: Connect) => connect({ timeoutMs }).findPassport(1);

/** Only calls that wait for a timeout reach it, also on a busy machine. */
const LONG_MS = 120_000;

/** Aborts soon, so that the call is waiting for the server. */
function abortSoon(reason?: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 100);
  return controller.signal;
}

export const CALLS: Record<string, Call> = {
  found: ["found", find],
  "null fields": ["nulls", find],
  "no passport": ["missing", find],
  "a page with status 404": ["html-404", find],
  "another 404": ["json-404", find],
  "429 once": ["limited-once", find],
  "429": ["limited", find],
  "429 without retries": ["limited", (connect) => connect({ retries: 0 }).findPassport(1)],
  "429 for an hour": ["limited-for-an-hour", find],
  "503 once": ["unavailable-once", find],
  "503": ["unavailable", find],
  "a page with status 503": ["html-503", find],
  "410 in a brownout": ["brownout", find],
  "410 after the sunset": ["gone", find],
  "401": ["unauthorized", find],
  "500": ["internal", find],
  "a page with status 200": ["html-200", find],
  "a passport that is missing in a 200": ["json-200", find],
  "a list that is missing in a 200": ["json-200", (connect) => connect().listPassports()],
  "credentials that are missing in a 200": ["json-200", (connect) => connect().listCredentials(1)],
  "no list": ["missing", (connect) => connect().listPassports()],
  "a dropped connection": ["dropped-once", find],
  "dropped connections": ["dropped", find],
  "a redirect": ["redirected", find],
  "a timeout before the response": ["silent", findWithin(300)],
  "a timeout in the body": ["stalled", findWithin(300)],
  "an abort before the response": ["silent", findWith(abortSoon)],
  "an abort in the body": ["stalled", findWith(abortSoon)],
  "an abort before a retry": ["limited-for-two-seconds", findWith(abortSoon)],
  "an abort with a reason": ["silent", findWith(() => abortSoon(Error("closed")))],
  "an abort before the call": ["found", findWith(() => AbortSignal.abort())],
  "an ETag": ["tagged", findTwice],
  "the default for ETags": ["tagged", listSentTags],
};

async function findTwice(connect: Connect) {
  const client = connect({ etagEntries: 1 });
  return [await client.findPassport(1), await client.findPassport(1)];
}

/** The tags that two calls send, and whether this is a web page. */
async function listSentTags(connect: Connect) {
  const tags: (string | null)[] = [];
  const client = connect({
    fetch: (url, init) => {
      tags.push(new Headers(init?.headers).get("if-none-match"));
      return fetch(url, init);
    },
  });
  await client.findPassport(1);
  await client.findPassport(1);
  return { isPage: "document" in globalThis, tags };
}

export async function runCall(name: string, origin: string): Promise<Outcome> {
  const [scenario, call] = CALLS[name] as Call;
  const baseUrl = `${origin}/${scenario}/${encodeURIComponent(name)}`;
  try {
    return { value: await call((options) => createClient({ baseUrl, timeoutMs: LONG_MS, ...options })) };
  } catch (error) {
    if (!(error instanceof V1Error)) return { rejection: String(error) };
    const { code, status, retryAfterMs, requestId } = error;
    return { failure: { code, status, retryAfterMs, requestId } };
  }
}
