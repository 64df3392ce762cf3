import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { setTimeout as delay } from "node:timers/promises";

export type HttpResponse = { status: number; headers: Record<string, string | undefined>; body: string };

type RequestHeaders = Record<string, string>;
type ClientOptions = {
  baseUrl: string;
  /** The path of V1 on this server, instead of /api/v1. */
  prefix?: string | undefined;
  key?: string | undefined;
  maxRequestsPerSecond: number;
  timeoutMs: number;
  /** Ends all requests and waits. */
  signal?: AbortSignal | undefined;
};

const MAX_CONCURRENT = 3;
const MAX_ATTEMPTS = 3;
const MAX_RETRY_AFTER_SECONDS = 30;
// A page of a hundred people has at most 25 MB.
const MAX_BODY_BYTES = 67_108_864;
// The timeout counts from the last byte. A response that never ends is cut off after this many.
const MAX_TIMEOUTS = 6;

/**
 * Sends requests to one server, limits their rate, and caches the responses. It uses node:http
 * because fetch normalizes paths, and some checks send paths that are not normalized.
 */
export class Client {
  readonly #base: URL;
  readonly #options: ClientOptions;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #responses = new Map<string, Promise<HttpResponse>>();
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #nextStart = 0;
  requestCount = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = new URL(options.baseUrl);
    const agentOptions = { keepAlive: true, maxSockets: MAX_CONCURRENT };
    this.#agent = this.#base.protocol === "https:" ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  }

  /** Sends a request with the key, if there is one. */
  request(path: string, headers: RequestHeaders = {}, method = "GET"): Promise<HttpResponse> {
    const { key } = this.#options;
    return this.requestWithoutKey(path, { ...(key !== undefined && { "X-API-KEY": key }), ...headers }, method);
  }

  /** Sends a request with exactly these headers. */
  requestWithoutKey(path: string, headers: RequestHeaders, method = "GET"): Promise<HttpResponse> {
    const cacheKey = JSON.stringify([method, path, headers]);
    const cached = this.#responses.get(cacheKey);
    if (cached !== undefined) return cached;
    const response = this.#sendInTurn(path, headers, method);
    this.#responses.set(cacheKey, response);
    return response;
  }

  /** Sends a request with the key, without a cache and without a retry. */
  async sendOnce(path: string, method: string): Promise<HttpResponse> {
    const { key } = this.#options;
    await this.#waitForRate();
    return this.#send(path, key === undefined ? {} : { "X-API-KEY": key }, method);
  }

  /** The path of a URL of this server, as `request` takes it; null for any other URL. */
  pathOf(target: string): string | null {
    const url = URL.parse(target, this.#base.href);
    const base = this.#base.pathname.replace(/\/+$/, "");
    if (url?.origin !== this.#base.origin || !url.pathname.startsWith(`${base}/`)) return null;
    return url.pathname.slice(base.length) + url.search;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #sendInTurn(path: string, headers: RequestHeaders, method: string): Promise<HttpResponse> {
    if (this.#running >= MAX_CONCURRENT) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#running += 1;
    try {
      for (let attempt = 1; ; attempt++) {
        await this.#waitForRate();
        const response = await this.#send(path, headers, method);
        const seconds = Number(response.headers["retry-after"] ?? 1);
        const canRetry = attempt < MAX_ATTEMPTS && seconds <= MAX_RETRY_AFTER_SECONDS;
        if (response.status !== 429 || !canRetry) return response;
        await delay(seconds * 1_000, undefined, { signal: this.#options.signal });
      }
    } catch (error) {
      const reason = error instanceof AggregateError ? error.errors[0] : error;
      throw new Error(`request to ${this.#base.origin} failed: ${String((reason as Error).message).trim()}`);
    } finally {
      this.#running -= 1;
      this.#queue.shift()?.();
    }
  }

  /** The path of V1 on this server. */
  #place(path: string): string {
    const { prefix } = this.#options;
    return prefix === undefined ? path : path.replace(/^(\/*)api(\/+)v1(?=[/?]|$)/, () => prefix);
  }

  async #waitForRate(): Promise<void> {
    const now = performance.now();
    const start = Math.max(now, this.#nextStart);
    this.#nextStart = start + 1_000 / this.#options.maxRequestsPerSecond;
    if (start > now) await delay(start - now, undefined, { signal: this.#options.signal });
  }

  #send(path: string, headers: RequestHeaders, method: string): Promise<HttpResponse> {
    this.requestCount += 1;
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    const { protocol, hostname, port, pathname } = this.#base;
    const deadline = AbortSignal.timeout(Math.min(2 ** 31 - 1, Math.ceil(this.#options.timeoutMs * MAX_TIMEOUTS)));
    const request = (protocol === "https:" ? httpsRequest : httpRequest)(
      {
        protocol,
        hostname: hostname.replace(/^\[|\]$/g, ""),
        port,
        path: pathname.replace(/\/+$/, "") + this.#place(path),
        method,
        headers: { "User-Agent": "credence-conformance", ...headers },
        agent: this.#agent,
        timeout: this.#options.timeoutMs,
        signal: AbortSignal.any([deadline, this.#options.signal ?? deadline]),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let sizeBytes = 0;
        response.on("data", (chunk: Buffer) => {
          sizeBytes += chunk.length;
          chunks.push(chunk);
          if (sizeBytes > MAX_BODY_BYTES) response.destroy(new Error(`body larger than ${MAX_BODY_BYTES} bytes`));
        });
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: joinValues(response.headers),
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    request.on("timeout", () => request.destroy(new Error(`no response within ${this.#options.timeoutMs} ms`)));
    request.on("error", reject);
    request.end();
    return promise;
  }
}

/** Joins the values of headers that occur more than once. */
function joinValues(headers: IncomingHttpHeaders): HttpResponse["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}
