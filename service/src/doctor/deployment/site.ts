import { randomInt } from "node:crypto";
import { isLoopback } from "#core/config/config-values.ts";
import { type Reply, readJson, type Send } from "./send.ts";

export type Target = {
  /** The URL at which clients reach Credence, without a slash at the end. */
  url: string;
  /** The port of plain http; null if it is unknown. */
  httpPort: number | null;
  privatePort: number;
};

/** What V1 responds to a request without a key. `other`: not a response of Credence. */
export type V1State = "serving" | "key required" | "brownout" | "gone" | "unavailable" | "other";

/** The deployment under test. */
export type Site = Target & {
  origin: URL;
  /** The host without the brackets of an IPv6 address. */
  hostname: string;
  isLocal: boolean;
  send: Send;
  /** The response to a request without a key. */
  first: Reply;
  v1: V1State;
};

export const LIST = "/api/v1/passports";

export async function openSite(target: Target, send: Send): Promise<Site> {
  const origin = new URL(target.url);
  const hostname = origin.hostname.replace(/^\[(.*)\]$/, "$1");
  const first = await send(target.url + LIST);
  const isLocal = isLoopback(hostname);
  return { ...target, origin, hostname, isLocal, send, first, v1: readState(first) };
}

/** A server on this machine without TLS: there is no proxy to check. */
export const isDirect = ({ origin, isLocal }: Site): boolean => origin.protocol === "http:" && isLocal;

function readState(reply: Reply): V1State {
  const { pagination, code } = readJson(reply);
  if (reply.status === 200 && pagination !== undefined) return "serving";
  if (reply.status === 401 && code === "unauthorized") return "key required";
  if (reply.status === 410 && (code === "gone" || code === "brownout")) return code;
  if (reply.status === 503 && code === "unavailable") return "unavailable";
  return "other";
}

/**
 * A random page past the end of the list. No other client requests it, so it is in no cache, and a
 * cache that mixes up pages does not get a wrong response for a real page.
 */
export const randomPage = (): number => randomInt(1_000_000_000, 2_000_000_000);

export const pageUrl = (site: Site, query: string): string => `${site.url}${LIST}?${query}`;

/** The page that a response contains; null if it is no page. */
export function pageOf(reply: Reply): number | null {
  const { current_page: page } = Object(readJson(reply).pagination) as Record<string, unknown>;
  return reply.status === 200 && typeof page === "number" ? page : null;
}
