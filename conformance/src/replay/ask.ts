import { setTimeout as delay } from "node:timers/promises";
import type { Client, HttpResponse } from "../client.ts";
import { Counts } from "./groups.ts";

/** The replay cannot go on. The report so far is still printed. */
export class ReplayStopped extends Error {}

const MAX_ATTEMPTS = 4;
const MAX_WAIT_SECONDS = 300;
const MAX_FAILURES_IN_A_ROW = 10;
const WAIT_AFTER_FAILURE_SECONDS = 1;

/** Sends the requests of a replay to one server, one after another. */
export class Server {
  readonly name: "OLD" | "NEW";
  readonly #client: Client;
  readonly #signal: AbortSignal;
  #failuresInARow = 0;
  readonly retries = new Counts();

  constructor(name: "OLD" | "NEW", client: Client, signal: AbortSignal) {
    this.name = name;
    this.#client = client;
    this.#signal = signal;
  }

  get requestCount(): number {
    return this.#client.requestCount;
  }

  /** The response, after as many retries as the server asks for. Null if there is none. */
  async ask(path: string, method: "GET" | "HEAD"): Promise<HttpResponse | null> {
    let failure = "";
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const response = await this.#client.sendOnce(path, method).catch((error: Error) => {
        this.#signal.throwIfAborted();
        failure = error.message;
        return null;
      });
      const seconds = response === null ? WAIT_AFTER_FAILURE_SECONDS : retryAfterSeconds(response);
      if (response !== null && seconds === null) {
        this.#failuresInARow = 0;
        return response;
      }
      if (response !== null) failure = `${response.status} with Retry-After`;
      this.retries.add(`${this.name}: ${response === null ? "no response" : failure}`);
      // After the last attempt too: the next request must not be sent earlier either.
      await this.#wait(seconds ?? 0);
    }
    this.#failuresInARow += 1;
    if (this.#failuresInARow === MAX_FAILURES_IN_A_ROW)
      throw new ReplayStopped(
        `${this.name} did not respond to ${MAX_FAILURES_IN_A_ROW} requests in a row: ${failure}. Check that it is running, or use a lower --rate.`,
      );
    return null;
  }

  async #wait(seconds: number): Promise<void> {
    if (seconds > MAX_WAIT_SECONDS)
      throw new ReplayStopped(`${this.name} asks to wait ${seconds} seconds. Run it again later, with a lower --rate.`);
    await delay(seconds * 1_000, undefined, { signal: this.#signal });
  }
}

/** The time to wait before a retry; null if the response is final. */
function retryAfterSeconds({ status, headers }: HttpResponse): number | null {
  const value = headers["retry-after"];
  if (status !== 429 && !(status === 503 && value !== undefined)) return null;
  if (value === undefined) return 1;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? 1 : Math.max(0, seconds);
}
