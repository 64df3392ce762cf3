import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";

/** Everything the program can be told by its environment, read once, checked, and handed on as a parameter. */
export type Config = Readonly<{
  databaseUrl: string | null;
  /** A replica that is read instead, while it is well. */
  databaseReadUrl: string | null;
  host: string;
  port: number;
  /** Where the private port listens. */
  privateHost: string;
  privatePort: number;
  publicUrl: string;
  authMode: AuthMode;
  trustedProxies: readonly string[];
  deprecatedAt: Date;
  sunsetAt: Date | null;
  successorUrl: string | null;
  docsUrl: string;
  /** How old the list may get while people change. */
  standingMaxAgeMs: number;
  /** How much memory a node's answers may take, and how old they may get; 0 keeps none. */
  cacheMaxBytes: number;
  cacheMaxAgeMs: number;
  /** The secret under which the wallets of people who opted out are hashed. */
  optOutKey: string | null;
  /** How many connections a node opens to each database, all of its processes together; null: as many as they need. */
  databaseConnections: number | null;
  /** How many connections a node accepts on its public port, in all and from one address. */
  maxConnections: number;
  maxConnectionsPerAddress: number;
  drainDelayMs: number;
  logLevel: LogLevel;
}>;

const AUTH_MODES = ["optional", "required", "open"] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every variable there is, with its default, for the documentation and for the check that it is complete. */
export const VARIABLES = {
  DATABASE_URL: null,
  DATABASE_READ_URL: null,
  HOST: "127.0.0.1",
  PORT: "8080",
  PRIVATE_HOST: "127.0.0.1",
  PRIVATE_PORT: "9090",
  PUBLIC_URL: null,
  AUTH_MODE: "optional",
  TRUSTED_PROXIES: "",
  V1_DEPRECATED_AT: "2025-03-31",
  V1_SUNSET_AT: null,
  V1_SUCCESSOR_URL: null,
  V1_DOCS_URL: null,
  STANDING_MAX_AGE: "15m",
  CACHE_MAX_BYTES: "48MiB",
  CACHE_MAX_AGE: "30s",
  OPT_OUT_KEY: null,
  DATABASE_CONNECTIONS: null,
  MAX_CONNECTIONS: "10000",
  MAX_CONNECTIONS_PER_ADDRESS: "256",
  DRAIN_DELAY: "2s",
  LOG_LEVEL: "info",
} as const;

type Variable = keyof typeof VARIABLES;

/** Says every problem at once, so that nobody mends them one start at a time. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process: the one place that reads it. */
// biome-ignore lint/style/noProcessEnv: this is the one place.
export const processEnvironment = (): Environment => process.env;

export function readConfig(environment: Environment): Config {
  const problems: string[] = [];

  const raw = (name: Variable): string | null => {
    const value = environment[name]?.trim();
    return value === undefined || value === "" ? VARIABLES[name] : value;
  };
  /** Reads a variable with `parse`, which throws a sentence that says what the value should be. */
  const read = <Value>(name: Variable, parse: (text: string) => Value): Value | null => {
    const text = raw(name);
    if (text === null) return null;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name} is ${JSON.stringify(withoutCredentials(text))}: ${(error as Error).message}`);
      return null;
    }
  };

  const host = read("HOST", parseHost) ?? "";
  const port = read("PORT", parsePort) ?? 0;
  const publicUrl = read("PUBLIC_URL", parseBaseUrl) ?? `http://${reachable(host)}:${port}`;
  const privateHost = read("PRIVATE_HOST", parseHost) ?? "";
  const privatePort = read("PRIVATE_PORT", parsePort) ?? 0;
  if (port !== 0 && port === privatePort) problems.push("PORT and PRIVATE_PORT are the same: give two ports.");
  const deprecatedAt = read("V1_DEPRECATED_AT", parseDate) ?? new Date(0);
  const sunsetAt = read("V1_SUNSET_AT", parseDate);
  if (sunsetAt !== null && sunsetAt < deprecatedAt) {
    problems.push("V1_SUNSET_AT is before V1_DEPRECATED_AT: an API is deprecated first and switched off later.");
  }

  const config: Config = {
    databaseUrl: readSecret(environment, "DATABASE_URL", problems, parseDatabaseUrl),
    databaseReadUrl: readSecret(environment, "DATABASE_READ_URL", problems, parseDatabaseUrl),
    host,
    port,
    privateHost,
    privatePort,
    publicUrl,
    authMode: read("AUTH_MODE", oneOf(AUTH_MODES)) ?? "optional",
    trustedProxies: read("TRUSTED_PROXIES", parseNetworks) ?? [],
    deprecatedAt,
    sunsetAt,
    successorUrl: read("V1_SUCCESSOR_URL", parseUrl),
    docsUrl: read("V1_DOCS_URL", parseUrl) ?? `${publicUrl}/docs`,
    standingMaxAgeMs: read("STANDING_MAX_AGE", parseDuration) ?? 0,
    cacheMaxBytes: read("CACHE_MAX_BYTES", parseBytes) ?? 0,
    cacheMaxAgeMs: read("CACHE_MAX_AGE", parseDuration) ?? 0,
    optOutKey: readSecret(environment, "OPT_OUT_KEY", problems, parseOptOutKey),
    databaseConnections: read("DATABASE_CONNECTIONS", parseCount),
    maxConnections: read("MAX_CONNECTIONS", parseCount) ?? 0,
    maxConnectionsPerAddress: read("MAX_CONNECTIONS_PER_ADDRESS", parseCount) ?? 0,
    drainDelayMs: read("DRAIN_DELAY", parseDuration) ?? 0,
    logLevel: read("LOG_LEVEL", oneOf(LOG_LEVELS)) ?? "info",
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** Messages go to logs, where the password of a URL must not appear. */
const withoutCredentials = (text: string): string => text.replace(/^(\w+:\/\/)?.*@/, "$1…@");

/** Listening everywhere is no address to call: on this machine, it is reached by name. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** True when only this machine can connect to a port that listens on this address. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  return loopback.check(host, isIP(host) === 6 ? "ipv6" : "ipv4");
}

/** A secret may be given as NAME, or as NAME_FILE with the path of a file that holds it. Its value is never repeated. */
function readSecret(environment: Environment, name: string, problems: string[], parse: (text: string) => string) {
  const file = environment[`${name}_FILE`];
  let text = environment[name];
  if (file) {
    if (text) problems.push(`${name} and ${name}_FILE are both set: keep one.`);
    try {
      text = readFileSync(file, "utf8");
    } catch (error) {
      problems.push(`${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
    }
  }
  if (text === undefined || text.trim() === "") return null;
  try {
    return parse(text.trim());
  } catch (error) {
    problems.push(`${name} cannot be used: ${(error as Error).message}`);
    return null;
  }
}

export function parseHost(text: string): string {
  if (isIP(text) === 0 && text !== "localhost")
    throw new Error("give an address of this machine, 0.0.0.0 for all, or localhost.");
  return text;
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new Error("give a port from 0 to 65535.");
  return port;
}

function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error("give an address that begins with https:// or http://.");
  // These addresses are sent to every caller, in the Link header and in the OpenAPI document.
  if (url.username !== "" || url.password !== "") throw new Error("give an address without user and password.");
  // It goes into a Link header, where these would end the address early.
  return url.href.replaceAll(/[<>"]/g, encodeURIComponent);
}

function parseBaseUrl(text: string): string {
  const url = parseUrl(text);
  if (/[?#]/.test(url)) throw new Error("give an address without ? and #.");
  return url.replace(/\/+$/, "");
}

function parseDatabaseUrl(text: string): string {
  const [, authority, rest = ""] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (authority === undefined) throw new Error("give it as postgres://user:password@host:5432/database.");
  // A / ? or # in a password ends the authority early: its @ is then in the path, in the name of a parameter, or in a fragment.
  const cutShort = /^[^?]*@|[?&][^=&]*@|#/.test(rest);
  if (cutShort || /@.*@/.test(authority) || !URL.canParse(text)) {
    throw new Error(
      "give it as postgres://user:password@host:5432/database, with @ / ? # in the user and the password percent-encoded as %40 %2F %3F %23.",
    );
  }
  return text;
}

function parseOptOutKey(text: string): string {
  if (text.length < 32) throw new Error("give at least 32 characters, such as `openssl rand -hex 32` prints.");
  return text;
}

export function parseDate(text: string): Date {
  const date = new Date(text);
  const plain = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/.test(text);
  // 30 February would be taken for 2 March.
  const real = plain && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text.slice(0, 10));
  if (!real) throw new Error("give a date such as 2027-12-31 or 2027-12-31T12:00:00Z (UTC).");
  return date;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 1_000_000) throw new Error("give a number from 1 to 1000000.");
  return count;
}

function parseDuration(text: string): number {
  const match = /^(\d+)(ms|s|m)$/.exec(text);
  if (match === null) throw new Error("give a time such as 500ms, 2s or 1m.");
  return Number(match[1]) * { ms: 1, s: 1_000, m: 60_000 }[match[2] as "ms" | "s" | "m"];
}

function parseBytes(text: string): number {
  const match = /^(\d+)(KiB|MiB|GiB)?$/.exec(text);
  if (match === null) throw new Error("give a size such as 48MiB, 512KiB or 1GiB.");
  const unit = { KiB: 1_024, MiB: 1_024 ** 2, GiB: 1_024 ** 3, "": 1 }[match[2] ?? ""] as number;
  return Number(match[1]) * unit;
}

function parseNetworks(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
    .map((item) => {
      const [address = "", prefix, rest] = item.split("/");
      const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] as number;
      const fits = prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= bits);
      if (bits === -1 || !fits || rest !== undefined) {
        throw new Error(
          `${JSON.stringify(item)} is no network: give a comma-separated list such as 10.0.0.0/8, 2001:db8::/32.`,
        );
      }
      return `${address}/${prefix ?? bits}`;
    });
}

function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new Error(`give one of ${words.join(", ")}.`);
    return found;
  };
}
