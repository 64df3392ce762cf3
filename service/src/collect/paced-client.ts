import { setTimeout } from "node:timers/promises";
import { type Exchange, InvalidReply, type Reply } from "./exchange.ts";
import { createKeyGuard } from "./key-guard.ts";
import { parseKeepingCounts } from "./lossless.ts";
import { MAX_BODY_BYTES } from "./read-saved.ts";

/** A collection cannot go on now. Its state stays: the same command continues it. */
export class CollectStopped extends Error {
  override name = "CollectStopped";
  readonly advice: string;

  constructor(message: string, advice = "Run the same command again: it continues where it stopped.") {
    super(message);
    this.advice = advice;
  }
}

/** `body` is null if the server does not have the resource. `isV1Error`: it says so in the form of V1. */
export type Answer = { at: string; status: number; body: unknown; text: string; isV1Error?: boolean };

/** A request failed, also when it was repeated. The collection goes on with the next person. */
export class RequestFailed extends Error {
  override name = "RequestFailed";
}

/** What was sent so far. `refused`: with 429 or 503. */
export type Traffic = { requests: number; refused: number; waitedSeconds: number; busyMs: number };

export const createTraffic = (): Traffic => ({ requests: 0, refused: 0, waitedSeconds: 0, busyMs: 0 });

/** How long a request takes at this rate: not shorter than those so far took. */
export const secondsPerRequest = ({ requests, busyMs }: Traffic, rate: number): number =>
  Math.max(1 / rate, requests === 0 ? 0 : busyMs / requests / 1_000);

export type Get = (path: string) => Promise<Answer>;

export type ClientOptions = {
  exchange: Exchange;
  /** Requests per second. */
  rate: number;
  /** Is not stored, even if the server repeats it. */
  key: string | null;
  traffic: Traffic;
  /** Called before a wait that the server asked for. */
  onWait: (seconds: number) => void;
};

const MAX_ATTEMPTS = 5;
const MAX_BACKOFF_MS = 60_000;
/** A server that asks for a longer wait ends the collection; the operator continues it later. */
const MAX_WAIT_SECONDS = 3_600;
/** Refusals with 429 or 503 in a row. */
const MAX_REFUSALS = 50;
/** Requests in a row that failed with all their attempts. */
const MAX_FAILURES = 20;

const CHECK_SERVER = "Check the URL, and that the server is running. Then run the same command again.";

const TLS_ERROR = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME|EPROTO)/;

/** Returns a function that gets JSON at a limited rate, and repeats what may succeed later. */
export function createClient({ exchange, rate, key, traffic, onWait }: ClientOptions): Get {
  const wait = createPace(1_000 / rate);
  let failuresInRow = 0;
  let refusalsInRow = 0;
  let hasReplied = false;
  const { isIn, hide } = createKeyGuard(key);

  /** Returns the answer, or the reason to try again. */
  const attempt = async (path: string): Promise<Answer | string> => {
    await wait();
    const startedAt = performance.now();
    traffic.requests += 1;
    try {
      const reply = await exchange(path).finally(() => {
        traffic.busyMs += performance.now() - startedAt;
      });
      hasReplied = true;
      if (reply.status === 429 || reply.status === 503) return await obey(reply);
      refusalsInRow = 0;
      return read(reply, path);
    } catch (error) {
      if (error instanceof CollectStopped || error instanceof RequestFailed) throw error;
      if (error instanceof InvalidReply) throw new RequestFailed(error.message);
      const reason = explain(error as NodeJS.ErrnoException);
      // A wrong address, probably: to repeat the request would only delay the message. A server that
      // resets a connection is there.
      if (!hasReplied && (error as NodeJS.ErrnoException).code !== "ECONNRESET")
        throw new CollectStopped(`The server cannot be reached: ${hide(reason)}.`, CHECK_SERVER);
      return reason;
    }
  };

  const obey = async ({ status, header }: Reply): Promise<string> => {
    refusalsInRow += 1;
    traffic.refused += 1;
    const seconds = parseRetryAfter(header("retry-after"));
    const limit = `The server refused ${refusalsInRow} requests in a row with status ${status}.`;
    if (refusalsInRow >= MAX_REFUSALS) throw new CollectStopped(limit);
    if (seconds !== null && seconds > MAX_WAIT_SECONDS) {
      throw new CollectStopped(`The server asks to wait ${Math.round(seconds / 60)} minutes.`);
    }
    if (seconds !== null) {
      onWait(seconds);
      await setTimeout(seconds * 1_000);
      traffic.waitedSeconds += seconds;
      return AGAIN;
    }
    return `status ${status}`;
  };

  const read = (reply: Reply, path: string): Answer | string => {
    const { status, text } = reply;
    const at = new Date().toISOString();
    if (status === 404) return { at, status, body: null, text: "", isV1Error: isV1Error(text) };
    if (status >= 500) return `status ${status}`;
    if (status !== 200) throw refused(reply, path);
    const answer = parse(text, at);
    // Printed again, so that no escape hides it.
    const isRepeated = isIn(text) || (typeof answer !== "string" && key !== null && isIn(JSON.stringify(answer.body)));
    if (isRepeated) throw new RequestFailed("the response repeats the API key");
    return answer;
  };

  const refused = ({ status, header }: Reply, path: string): Error => {
    if (status >= 300 && status < 400) return new CollectStopped(...describeRedirect(header("location"), hide));
    if (status === 401 || status === 403) {
      return new CollectStopped(
        `The server refused access with status ${status}.`,
        key === null ? "Pass the API key of the server with --key-file." : "Check the API key in --key-file.",
      );
    }
    if (status === 410) return new CollectStopped("The server says that V1 is gone (status 410).");
    return new RequestFailed(`status ${status} for ${path}`);
  };

  return async (path) => {
    let reason = "";
    for (let number = 0; number < MAX_ATTEMPTS; ) {
      const answer = await attempt(path).catch((error) => {
        if (error instanceof RequestFailed) failuresInRow += 1;
        throw failuresInRow >= MAX_FAILURES ? tooManyFailures(error.message) : error;
      });
      if (typeof answer !== "string") {
        failuresInRow = 0;
        return answer;
      }
      if (answer === AGAIN) continue;
      reason = hide(answer);
      number += 1;
      if (number < MAX_ATTEMPTS) await setTimeout(Math.min(MAX_BACKOFF_MS, (1_000 / rate) * 2 ** number));
    }
    failuresInRow += 1;
    if (failuresInRow >= MAX_FAILURES) throw tooManyFailures(reason);
    throw new RequestFailed(reason);
  };
}

/** The body must be printable too: it becomes a line of the journal. */
function parse(text: string, at: string): Answer | string {
  try {
    const body = parseKeepingCounts(text);
    if (Math.max(JSON.stringify(body).length, JSON.stringify(text).length) <= MAX_BODY_BYTES) {
      return { at, status: 200, body, text };
    }
  } catch (error) {
    if (!(error instanceof RangeError)) return "the response is not JSON";
  }
  throw new RequestFailed("the response is too long or nested too deeply");
}

/** A proxy or a server that is being updated sends a 404 of its own, mostly HTML. */
function isV1Error(text: string): boolean {
  try {
    return typeof JSON.parse(text)?.error === "string";
  } catch {
    return false;
  }
}

/** The server asked for a wait, which is over. It is not a failed attempt. */
const AGAIN = "again";

const tooManyFailures = (reason: string): CollectStopped =>
  new CollectStopped(`${MAX_FAILURES} requests in a row failed. The last one: ${reason}.`);

function explain({ code = "", message }: NodeJS.ErrnoException): string {
  if (TLS_ERROR.test(code)) {
    throw new CollectStopped(
      `The TLS connection failed: ${code}.`,
      "Check the certificate of the server. For a private authority, set NODE_EXTRA_CA_CERTS.",
    );
  }
  if (code === "ENOTFOUND") throw new CollectStopped("The host of the server has no address.", "Check the URL.");
  return code === "" ? message : `the connection failed (${code})`;
}

function describeRedirect(location: string | null, hide: (text: string) => string): [string, string] {
  const origin = location !== null && URL.canParse(location) ? new URL(location).origin : "another path";
  return [
    `The server redirects to ${hide(origin)}. Redirects are not followed.`,
    "If that is the right server, pass its URL.",
  ];
}

/** Seconds, or a date. */
function parseRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  if (/^\d{1,10}$/.test(value)) return Number(value);
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : Math.max(0, (time - Date.now()) / 1_000);
}

/**
 * Waits until the next request may start: `intervalMs` after the previous one started. The first
 * one waits too, so that a process that is killed and started again stays within the rate.
 */
function createPace(intervalMs: number): () => Promise<void> {
  let next = performance.now() + intervalMs;
  return async () => {
    for (let now = performance.now(); now < next; now = performance.now()) await setTimeout(next - now);
    next = performance.now() + intervalMs;
  };
}
