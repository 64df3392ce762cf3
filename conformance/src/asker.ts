import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { setTimeout as delay } from "node:timers/promises";

export type Answer = {
  status: number;
  headers: Record<string, string | undefined>;
  body: string;
};

export type AskerOptions = {
  baseUrl: string;
  key?: string | undefined;
  /** At most so many requests a second. */
  rate: number;
  timeoutMs: number;
};

/** Requests that are under way at the same time, at the most. */
const AT_ONCE = 3;
const TRIES = 3;
const LONGEST_WAIT_SECONDS = 30;

/**
 * Asks one server, politely: few at once, no faster than the rate, and no question twice. Built on node:http and not on
 * fetch, which would tidy up the very paths whose treatment is to be seen.
 */
export class Asker {
  readonly #base: URL;
  readonly #options: AskerOptions;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #answers = new Map<string, Promise<Answer>>();
  #running = 0;
  #nextStart = 0;
  readonly #waiting: (() => void)[] = [];
  requests = 0;

  constructor(options: AskerOptions) {
    this.#options = options;
    this.#base = new URL(options.baseUrl);
    const agentOptions = { keepAlive: true, maxSockets: AT_ONCE };
    this.#agent = this.#base.protocol === "https:" ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  }

  /** With the key, if one was given. The same question is asked once. */
  ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
    const { key } = this.#options;
    return this.askAs(path, { ...(key !== undefined && { "X-API-KEY": key }), ...headers }, method);
  }

  /** Exactly these headers, no key added. */
  askAs(path: string, headers: Record<string, string>, method = "GET"): Promise<Answer> {
    const name = JSON.stringify([method, path, headers]);
    const known = this.#answers.get(name);
    if (known !== undefined) return known;
    const asked = this.#askInTurn(path, headers, method);
    this.#answers.set(name, asked);
    return asked;
  }

  async #askInTurn(path: string, headers: Record<string, string>, method: string): Promise<Answer> {
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
    try {
      for (let tries = 1; ; tries++) {
        await this.#keepRate();
        const answer = await this.#send(path, headers, method);
        const wait = Number(answer.headers["retry-after"] ?? 1);
        // A limit is no fault: it is heeded, as long as it asks for seconds and not for hours.
        if (answer.status !== 429 || tries === TRIES || !(wait <= LONGEST_WAIT_SECONDS)) return answer;
        await delay(wait * 1_000);
      }
    } catch (error) {
      const reason = error instanceof AggregateError ? error.errors[0] : error;
      throw new Error(`${this.#base.origin} could not be asked: ${String((reason as Error).message).trim()}`);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #keepRate(): Promise<void> {
    const now = performance.now();
    const start = Math.max(now, this.#nextStart);
    this.#nextStart = start + 1_000 / this.#options.rate;
    if (start > now) await delay(start - now);
  }

  end(): void {
    this.#agent.destroy();
  }

  #send(path: string, headers: Record<string, string>, method: string): Promise<Answer> {
    this.requests += 1;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const send = this.#base.protocol === "https:" ? httpsRequest : httpRequest;
    const sent = send(
      {
        protocol: this.#base.protocol,
        hostname: this.#base.hostname.replace(/^\[|\]$/g, ""),
        port: this.#base.port,
        path: this.#base.pathname.replace(/\/+$/, "") + path,
        method,
        headers: { "User-Agent": "credence-conformance", ...headers },
        agent: this.#agent,
        timeout: this.#options.timeoutMs,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: flat(response.headers),
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on("timeout", () => sent.destroy(new Error(`no answer within ${this.#options.timeoutMs} ms`)));
    sent.on("error", reject);
    sent.end();
    return promise;
  }
}

function flat(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}
