import { open } from "node:fs/promises";
import http, { type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { parsePublisherUrl } from "#core/config/config-values.ts";
import { SnapshotRefused } from "#core/files/refused.ts";

/** Where a publisher's files are, and who may read them. */
export type Publisher = { url: URL; authorization: string | null };

/** A URL with or without a user and a password. */
export function parsePublisher(text: string): Publisher {
  const url = new URL(requireUrl(text).replace(/\/*$/, "/"));
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, authorization: username === "" ? null : `Basic ${Buffer.from(pair).toString("base64")}` };
}

function requireUrl(text: string): string {
  try {
    return parsePublisherUrl(text);
  } catch (error) {
    const message = `The publisher's URL cannot be used: ${(error as Error).message}`;
    throw new SnapshotRefused(
      message,
      "docs/MIRROR.md describes it. Over http, others could read and change what is sent.",
      { cause: error },
    );
  }
}

/** Bytes per second below which a download is given up, after the first half minute. */
const SLOWEST = 65_536;
const FIRST_MS = 30_000;

export type Bounds = { maxBytes: number; timeoutMs?: number };

/** Fetches a small file. `name` is relative to the publisher's URL. */
export async function fetchBytes(publisher: Publisher, name: string, bounds: Bounds): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of fetchChunks(publisher, name, bounds)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Fetches a file to a path that does not exist yet, which only this user may read. */
export async function fetchToFile(publisher: Publisher, name: string, path: string, bounds: Bounds): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of fetchChunks(publisher, name, bounds)) await file.write(chunk);
  } finally {
    await file.close();
  }
}

/** Follows no redirect and decompresses nothing, so that the bounds hold for what is read. */
async function* fetchChunks(
  { url, authorization }: Publisher,
  name: string,
  { maxBytes, timeoutMs = FIRST_MS + (maxBytes / SLOWEST) * 1_000 }: Bounds,
): AsyncGenerator<Uint8Array> {
  const address = new URL(name, url);
  const refuse = (problem: string, advice: string, cause?: unknown): never => {
    throw new SnapshotRefused(`${address.href} ${problem}.`, advice, { cause });
  };
  const headers = { "accept-encoding": "identity", ...(authorization !== null && { authorization }) };
  const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
  try {
    const response = await get(address, { headers, signal });
    const { statusCode: status = 0 } = response;
    if (status !== 200) response.destroy();
    if (status >= 300 && status < 400) {
      const to = response.headers.location ?? "nowhere";
      refuse(`redirects to ${to}`, "No redirect is followed. If it is the publisher's new address, set that one.");
    }
    if (status !== 200) refuse(`responds with ${status}`, ADVICE[status] ?? "Ask the publisher, or try again later.");
    if (response.headers["content-encoding"] !== undefined) {
      response.destroy();
      refuse("is compressed by the server", "The publisher must serve its files as they are.");
    }
    let bytes = 0;
    for await (const chunk of response) {
      bytes += chunk.length;
      if (bytes > maxBytes) refuse(`has more than ${maxBytes} bytes`, "It is not the file that was announced.");
      yield chunk;
    }
  } catch (error) {
    if (error instanceof SnapshotRefused) throw error;
    if (signal.aborted) refuse(`did not arrive within ${Math.ceil(timeoutMs / 1_000)} s`, "Try again later.", error);
    const { message, code = "" } = error as NodeJS.ErrnoException;
    refuse(`cannot be fetched: ${message || code}`, adviceOn(code), error);
  }
}

const ADVICE: Readonly<Record<number, string>> = {
  401: "Correct the name and the password in the publisher's URL.",
  404: "Correct the publisher's URL, or ask the publisher.",
};

function adviceOn(code: string): string {
  if (code === "ENOTFOUND") return "Correct the publisher's URL.";
  if (/CERT|ISSUER|SIGNATURE/.test(code)) {
    return "Correct the publisher's URL. For an authority of your own, name the file of its certificate in NODE_EXTRA_CA_CERTS.";
  }
  return "Ask the publisher, or try again later.";
}

/**
 * Not `fetch`: its client ends the process with an error that nobody can catch, if the server closes the
 * connection while a file is written. Without an agent, no connection is kept.
 */
const get = (address: URL, options: RequestOptions): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = address.protocol === "https:" ? https : http;
    request.get(address, { ...options, agent: false }, resolve).on("error", reject);
  });
