import { BlockList, isIP } from "node:net";

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

export function parseDatabaseUrl(text: string): string {
  const [, authority, rest = ""] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (authority === undefined) throw new Error("expected postgres://user:password@host:5432/database.");
  // A / ? or # in a password ends the authority early. Its @ is then part of the path, of a
  // parameter's name, or of a fragment.
  const isCutShort = /^[^?]*@|[?&][^=&]*@|#/.test(rest);
  if (isCutShort || /@.*@/.test(authority) || !URL.canParse(text)) {
    throw new Error(
      "expected postgres://user:password@host:5432/database, with @ / ? # in the user and the password percent-encoded as %40 %2F %3F %23.",
    );
  }
  return text;
}

export function parseOptOutKey(text: string): string {
  if (text.length < 32) throw new Error("expected at least 32 characters, such as `openssl rand -hex 32` prints.");
  return text;
}

export function parseDate(text: string): Date {
  const date = new Date(text);
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/.test(text);
  // `new Date` accepts 30 February as 2 March: compare the day.
  if (!isIso || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text.slice(0, 10)))
    throw new Error("expected a date such as 2027-12-31 or 2027-12-31T12:00:00Z (UTC).");
  return date;
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 1_000_000) throw new Error("expected a number from 1 to 1000000.");
  return count;
}

export function parseDuration(text: string): number {
  const match = /^(\d+)(ms|s|m)$/.exec(text);
  if (match === null) throw new Error("expected a duration such as 500ms, 2s or 1m.");
  return Number(match[1]) * { ms: 1, s: 1_000, m: 60_000 }[match[2] as "ms" | "s" | "m"];
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
