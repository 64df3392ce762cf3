import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { VERSION } from "#core/config/version.ts";

/** A response, as far as it was read. */
export type Reply = {
  status: number;
  /** All values of a header, joined with commas; null if it is absent. */
  header: (name: string) => string | null;
  /** How many times a header was sent. */
  count: (name: string) => number;
  /** At most MAX_BODY_BYTES. */
  body: string;
  receivedAt: number;
};

export type Send = (url: string, headers?: Record<string, string>, method?: string) => Promise<Reply>;

/** The time limit of a request, and of all requests together. */
const TIMEOUT_MS = 5_000;
const TOTAL_TIMEOUT_MS = 60_000;
const MAX_BODY_BYTES = 4_194_304;

/**
 * Returns a function that sends requests: without following redirects, with limits, and each on a
 * new connection. Certificates are checked by `checkTls` only, so that the other checks also work
 * with an invalid certificate: no request contains a secret.
 */
export function createSend(): Send {
  const total = AbortSignal.timeout(TOTAL_TIMEOUT_MS);
  return (url, headers = {}, method = "GET") => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const options: RequestOptions = {
      method,
      headers: { "accept-encoding": "identity", "user-agent": `credence-doctor/${VERSION}`, ...headers },
      agent: false,
      signal: AbortSignal.any([total, AbortSignal.timeout(TIMEOUT_MS)]),
    };
    const request = url.startsWith("https:")
      ? requestHttps(url, { ...options, rejectUnauthorized: false })
      : requestHttp(url, options);
    request.on("response", (response) => readReply(response, resolve, reject));
    request.on("error", reject);
    // For a connection that ends without an error, such as after status 101.
    request.on("close", () => reject(new Error("The connection was closed without a complete response.")));
    request.end();
    return promise;
  };
}

function readReply(response: IncomingMessage, resolve: (reply: Reply) => void, reject: (error: Error) => void): void {
  const receivedAt = Date.now();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const finish = () => {
    const body = Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString();
    resolve({ status: response.statusCode ?? 0, ...readHeaders(response.rawHeaders), body, receivedAt });
  };
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes < MAX_BODY_BYTES) return;
    finish();
    response.destroy();
  });
  response.on("end", finish);
  response.on("error", reject);
}

function readHeaders(raw: readonly string[]): Pick<Reply, "header" | "count"> {
  const valuesOf = (name: string): string[] =>
    raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name.toLowerCase());
  return {
    header: (name) => (valuesOf(name).length === 0 ? null : valuesOf(name).join(", ")),
    count: (name) => valuesOf(name).length,
  };
}

/** The body as a JSON object; an empty object if it is something else. */
export function readJson({ body }: Reply): Record<string, unknown> {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

/** Whether a shared cache sent this response, `earlier` being a response to the same URL. */
export function isFromCache(reply: Reply, earlier: Reply): boolean {
  const id = reply.header("x-request-id");
  const hasEarlierId = id !== null && id === earlier.header("x-request-id");
  return hasEarlierId || Number(reply.header("age") ?? 0) > 0 || /\bhit\b/i.test(reply.header("x-cache") ?? "");
}
