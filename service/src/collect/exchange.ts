import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { MAX_BODY_BYTES } from "./read-saved.ts";

export type Reply = { status: number; header: (name: string) => string | null; text: string };

/** An exchange of this kind fails again if it is repeated. */
export class InvalidReply extends Error {
  override name = "InvalidReply";
}

export type Exchange = (path: string) => Promise<Reply>;

export type ExchangeOptions = {
  /** The URL of the server, without a slash at the end. */
  base: string;
  key: string | null;
  userAgent: string;
  /** The limit of a whole exchange, so that a body that drips ends too. */
  timeoutMs: number;
};

const decompress = promisify(gunzip);

/**
 * Returns a function that sends GET requests to one server, on one connection, without following
 * redirects. A path never comes from a response, so no other origin is ever contacted.
 */
export function createExchange({ base, key, userAgent, timeoutMs }: ExchangeOptions): Exchange {
  const isHttps = base.startsWith("https:");
  const settings = { keepAlive: true, maxSockets: 1, maxFreeSockets: 1 };
  const agent = isHttps ? new HttpsAgent(settings) : new HttpAgent(settings);
  const request = isHttps ? requestHttps : requestHttp;
  const headers = {
    "user-agent": userAgent,
    accept: "application/json",
    "accept-encoding": "gzip",
    ...(key !== null && { "x-api-key": key }),
  };
  return async (path) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = request(base + path, { agent, headers, signal });
    sent.on("response", resolve);
    sent.on("error", reject);
    // For a connection that ends without an error, such as after status 101.
    sent.on("close", () => reject(new Error("the connection was closed without a response")));
    sent.end();
    try {
      const response = await promise;
      const bytes = await readBody(response);
      const header = (name: string) => [response.headers[name] ?? []].flat().join(", ") || null;
      return { status: response.statusCode ?? 0, header, text: await decode(bytes, header("content-encoding")) };
    } catch (error) {
      sent.destroy();
      if (signal.aborted) throw new Error(`no complete response within ${timeoutMs / 1_000} seconds`);
      throw error;
    }
  };
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) throw new InvalidReply(`the body is longer than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function decode(bytes: Buffer, encoding: string | null): Promise<string> {
  if (encoding === null || encoding === "identity") return bytes.toString("utf8");
  if (encoding !== "gzip") throw new InvalidReply("the body has a content coding that was not requested");
  try {
    return (await decompress(bytes, { maxOutputLength: MAX_BODY_BYTES })).toString("utf8");
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new InvalidReply(
      isTooLong ? `the body decompresses to more than ${MAX_BODY_BYTES} bytes` : "the body is not valid gzip",
    );
  }
}
