import { BlockList, isIP } from "node:net";
import type { Brownout } from "./calendar.ts";

// Parsers of configuration values. The message of what they throw states the expected format.

export function parseHost(text: string): string {
  if (isIP(text) === 0 && text !== "localhost")
    throw new Error("expected an IP address of this machine, 0.0.0.0 for all, or localhost.");
  return text;
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new Error("expected a port from 0 to 65535.");
  return port;
}

export function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error("expected a URL that begins with https:// or http://.");
  // Callers see these URLs in the Link header and in the OpenAPI document.
  if (url.username !== "" || url.password !== "") throw new Error("expected a URL without user and password.");
  // These characters would end the URL early in the Link header.
  return url.href.replaceAll(/[<>"]/g, encodeURIComponent);
}

export function parseBaseUrl(text: string): string {
  const url = parseUrl(text);
  if (/[?#]/.test(url)) throw new Error("expected a URL without ? and #.");
  return url.replace(/\/+$/, "");
}

const MAX_NAME_LENGTH = 200;

export function parseName(text: string): string {
  if (text.length > MAX_NAME_LENGTH) throw new Error(`expected at most ${MAX_NAME_LENGTH} characters.`);
  return text;
}

/** An e-mail address, or the URL of a page. Returns a URL. */
export function parseContact(text: string): string {
  if (/^(?:mailto:)?[^\s@:/]+@[^\s@:/]+$/.test(text)) return `mailto:${text.replace(/^mailto:/, "")}`;
  if (!text.startsWith("https://")) throw new Error("expected an e-mail address or an https:// URL.");
  return parseUrl(text);
}

export function parseDatabaseUrl(text: string): string {
  const [, authority, rest = ""] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (authority === undefined) throw new Error("expected postgres://user:password@host:5432/database.");
  // The driver would take the list for a name.
  if (
    /,[^@]*$/.test(authority) ||
    /[?&](host|port)=[^&]*(,|%2C)/i.test(rest) ||
    /[?&]target_session_attrs=/.test(rest)
  ) {
    throw new Error("expected one host. Name an address that always leads to the primary, such as that of a proxy.");
  }
  // A / ? or # in a password ends the authority early. Its @ is then part of the path, of a
  // parameter's name, or of a fragment.
  const isCutShort = /^[^?]*@|[?&][^=&]*@|#/.test(rest);
  if (isCutShort || /@.*@/.test(authority) || !URL.canParse(text)) {
    throw new Error(
      "expected postgres://user:password@host:5432/database, with @ / ? # in the user and the password percent-encoded as %40 %2F %3F %23.",
    );
  }
  return withSslMode(text);
}

const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

/**
 * The driver verifies the server in each of these modes but `disable` and `no-verify`, and prints a
 * warning about the three whose names promise less: they are replaced.
 */
function withSslMode(text: string): string {
  const { searchParams } = new URL(text);
  const mode = searchParams.get("sslmode");
  if (mode === null || searchParams.has("uselibpqcompat")) return text;
  if (!SSL_MODES.includes(mode)) throw new Error(`expected one of ${SSL_MODES.join(", ")} as sslmode.`);
  return text.replace(/(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, "verify-full");
}

const MIN_SECRET = 32;

function parseSecret(text: string): string {
  if (text.length < MIN_SECRET)
    throw new Error("expected at least 32 characters, such as `openssl rand -hex 32` prints.");
  return text;
}

const MAX_SECRETS = 10;

/**
 * Several secrets: the newest first, and all before it that are still needed. An older secret may contain
 * commas: then its parts are too short to be secrets.
 */
export function parseSecrets(text: string): string[] {
  const parts = text.split(",").map((secret) => secret.trim());
  const secrets = (parts.every((part) => part.length >= MIN_SECRET) ? parts : [text]).map(parseSecret);
  if (secrets.length > MAX_SECRETS) throw new Error(`expected ${MAX_SECRETS} secrets at most, the newest first.`);
  return secrets;
}

/** One secret, or during a rotation two: the new one and the one before. */
export function parseKeys(text: string): string[] {
  const keys = text.split(",").map((key) => parseSecret(key.trim()));
  if (keys.length > 2)
    throw new Error("expected one secret, or two during a rotation: the new one, a comma, the old one.");
  return keys;
}

export function parseDate(text: string): Date {
  const date = new Date(text);
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/.test(text);
  // `new Date` accepts 30 February as 2 March: compare the day.
  if (!isIso || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text.slice(0, 10)))
    throw new Error("expected a date such as 2027-12-31 or 2027-12-31T12:00:00Z (UTC).");
  return date;
}

/** Times of the form `START/END`. */
export function parseBrownouts(text: string): Brownout[] {
  return text.split(",").map((item) => {
    const [start, end, rest] = item.trim().split("/");
    try {
      if (start !== undefined && end !== undefined && rest === undefined)
        return { startsAt: parseDate(start), endsAt: parseDate(end) };
    } catch {
      // The message below also states the format of a date.
    }
    throw new Error(
      `${JSON.stringify(item.trim())} is not an interval; expected a comma-separated list such as 2027-01-10T15:00:00Z/2027-01-10T16:00:00Z.`,
    );
  });
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 1_000_000) throw new Error("expected a number from 1 to 1000000.");
  return count;
}

/** A rate limit in points; 0 is no limit. It admits the most expensive request. */
export function parseLimit(text: string): number {
  if (text === "0") return 0;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 10 || limit > 1_000_000)
    throw new Error("expected 0, or a number from 10 to 1000000.");
  return limit;
}

export function parseDuration(text: string): number {
  const match = /^(\d+)(ms|s|m|h)$/.exec(text);
  if (match === null) throw new Error("expected a duration such as 500ms, 2s, 1m or 1h.");
  return Number(match[1]) * { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[match[2] as "ms" | "s" | "m" | "h"];
}

/** A duration of hours or days, in milliseconds. */
export function parsePeriod(text: string): number {
  const match = /^(\d{1,5})(h|d)$/.exec(text);
  if (match === null) throw new Error("expected a number of hours or days, such as 12h or 7d.");
  return Number(match[1]) * { h: 3_600_000, d: 86_400_000 }[match[2] as "h" | "d"];
}

export function parseDays(text: string): number {
  const days = Number(/^(\d{1,5})d$/.exec(text)?.[1]);
  if (!(days >= 1)) throw new Error("expected a number of days, at least 1d, such as 400d.");
  return days;
}

export function parseBytes(text: string): number {
  const match = /^(\d+)(KiB|MiB|GiB)?$/.exec(text);
  if (match === null) throw new Error("expected a size such as 48MiB, 512KiB or 1GiB.");
  const unit = { KiB: 1_024, MiB: 1_024 ** 2, GiB: 1_024 ** 3, "": 1 }[match[2] ?? ""] as number;
  return Number(match[1]) * unit;
}

export function parseNetworks(text: string): readonly string[] {
  const items = text.split(",").map((item) => item.trim());
  return items.filter((item) => item !== "").map(parseNetwork);
}

export const MAX_PREFIXES = 4;
/** The first segments of our own routes. A test compares them with the routes. */
export const OWN_SEGMENTS: ReadonlySet<string> = new Set([
  "about",
  "assets",
  "badge",
  "compare",
  "deprecation",
  "docs",
  "health",
  "holder",
  "leaderboard",
  "passports",
  "search",
]);

/** Paths under which V1 is served too. None may be, or contain, a route of ours. */
export function parsePrefixes(text: string): readonly string[] {
  const prefixes = text.split(/[\s,]+/).filter((item) => item !== "");
  if (prefixes.length > MAX_PREFIXES) throw new Error(`expected at most ${MAX_PREFIXES} paths.`);
  for (const [index, prefix] of prefixes.entries()) {
    if (!/^(?:\/[a-z0-9-]{1,32}){1,3}$/.test(prefix)) {
      throw new Error(
        `${JSON.stringify(prefix)} is no prefix; expected a path such as /api/v2, with one to three parts.`,
      );
    }
    if (prefixes.indexOf(prefix) !== index) throw new Error(`${prefix} is listed twice.`);
    const [, first = "", ...rest] = prefix.split("/");
    // Below /passports, a path of V1 would be an id.
    const isOwn = `${prefix}/`.startsWith("/api/v1/") || OWN_SEGMENTS.has(first) || rest.includes("passports");
    if (isOwn) {
      throw new Error(`${prefix} is used by this server itself; expected another path, such as /api/v2.`);
    }
  }
  return prefixes;
}

function parseNetwork(text: string): string {
  const [address = "", prefix, rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] as number;
  const isPrefix = prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= bits);
  if (bits !== -1 && isPrefix && rest === undefined) return `${address}/${prefix ?? bits}`;
  throw new Error(
    `${JSON.stringify(text)} is not a network; expected a comma-separated list such as 10.0.0.0/8, 2001:db8::/32.`,
  );
}

export function parseChoice<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new Error(`expected one of ${words.join(", ")}.`);
    return found;
  };
}

/** True when only this machine can connect to a port that listens on this address. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  return loopback.check(host, isIP(host) === 6 ? "ipv6" : "ipv4");
}

/** The host for a URL of this server. A wildcard address is not a destination: use localhost. */
export function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The private addresses of nodes, or the word `none`. */
export function parseNodes(text: string): readonly string[] {
  if (text === "none") return [];
  return text.split(",").map((item) => {
    const node = item.trim();
    const [, host = "", port = ""] = /^(\[[\da-f:]+\]|[\w.-]+):(\d+)$/i.exec(node) ?? [];
    if (host !== "" && Number(port) > 0 && Number(port) <= 65535) return node;
    throw new Error(
      `${JSON.stringify(node)} is no address; expected the private addresses of all nodes, such as 10.0.0.5:9090,10.0.0.6:9090, or the word none.`,
    );
  });
}

/** The node that has the same settings. It cannot be found if its port is any free one. */
export function ownNode(privateHost: string, privatePort: number): readonly string[] {
  if (privatePort === 0) return [];
  const host = privateHost === "0.0.0.0" ? "127.0.0.1" : privateHost === "::" ? "[::1]" : urlHost(privateHost);
  return [`${host}:${privatePort}`];
}
