import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import {
  parseBaseUrl,
  parseBytes,
  parseChoice,
  parseCount,
  parseDatabaseUrl,
  parseDate,
  parseDuration,
  parseHost,
  parseNetworks,
  parseOptOutKey,
  parsePort,
  parseUrl,
} from "./config-values.ts";

/** All settings, read once from the environment, validated, and passed on as a parameter. */
export type Config = Readonly<{
  databaseUrl: string | null;
  /** A streaming replica, read instead of the primary while it is healthy. */
  databaseReadUrl: string | null;
  host: string;
  port: number;
  privateHost: string;
  privatePort: number;
  publicUrl: string;
  authMode: AuthMode;
  trustedProxies: readonly string[];
  deprecatedAt: Date;
  sunsetAt: Date | null;
  successorUrl: string | null;
  docsUrl: string;
  /** Maximum age of the standing while people change. */
  standingMaxAgeMs: number;
  /** Memory for cached answers, for all processes of a node together; 0 disables the cache. */
  cacheMaxBytes: number;
  cacheMaxAgeMs: number;
  /** The secret that keys the hashes of opted-out wallets. */
  optOutKey: string | null;
  /** Connections to each database, for all processes of a node; null: enough for all of them. */
  databaseConnections: number | null;
  /** Connections that a node accepts on its public port, in total and per client address. */
  maxConnections: number;
  maxConnectionsPerAddress: number;
  drainDelayMs: number;
  logLevel: LogLevel;
}>;

const AUTH_MODES = ["optional", "required", "open"] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every variable with its default. A test compares docs/CONFIGURATION.md with this table. */
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

/** Lists all problems at once, so that an operator can fix them before the next start. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. No other code reads it. */
// biome-ignore lint/style/noProcessEnv: this is the only reader.
export const processEnvironment = (): Environment => process.env;

export function readConfig(environment: Environment): Config {
  const problems: string[] = [];

  const attempt = <Value>(problem: string, parseValue: () => Value): Value | null => {
    try {
      return parseValue();
    } catch (error) {
      problems.push(`${problem}: ${(error as Error).message}`);
      return null;
    }
  };
  /** Reads a variable; null if it is unset and has no default, or if it is invalid. */
  const read = <Value>(name: Variable, parseValue: (text: string) => Value): Value | null => {
    const text = environment[name]?.trim() || VARIABLES[name];
    if (text === null) return null;
    return attempt(`${name} is ${JSON.stringify(withoutCredentials(text))}`, () => parseValue(text));
  };
  /** Reads NAME, or the file that NAME_FILE names. A message never contains the value. */
  const readSecret = (name: Variable, parseValue: (text: string) => string): string | null => {
    const path = environment[`${name}_FILE`];
    if (path && environment[name]) problems.push(`${name} and ${name}_FILE are both set: set only one.`);
    const text = path ? attempt(`${name}_FILE cannot be read`, () => readText(path)) : environment[name];
    const trimmed = text?.trim();
    return trimmed ? attempt(`${name} is invalid`, () => parseValue(trimmed)) : null;
  };

  const host = read("HOST", parseHost) ?? "";
  const port = read("PORT", parsePort) ?? 0;
  const publicUrl = read("PUBLIC_URL", parseBaseUrl) ?? `http://${urlHost(host)}:${port}`;
  const privateHost = read("PRIVATE_HOST", parseHost) ?? "";
  const privatePort = read("PRIVATE_PORT", parsePort) ?? 0;
  if (port !== 0 && port === privatePort) problems.push("PORT and PRIVATE_PORT are the same: expected two ports.");
  const deprecatedAt = read("V1_DEPRECATED_AT", parseDate) ?? new Date(0);
  const sunsetAt = read("V1_SUNSET_AT", parseDate);
  if (sunsetAt !== null && sunsetAt < deprecatedAt) {
    problems.push("V1_SUNSET_AT is before V1_DEPRECATED_AT: expected a date on or after it.");
  }

  const config: Config = {
    databaseUrl: readSecret("DATABASE_URL", parseDatabaseUrl),
    databaseReadUrl: readSecret("DATABASE_READ_URL", parseDatabaseUrl),
    host,
    port,
    privateHost,
    privatePort,
    publicUrl,
    authMode: read("AUTH_MODE", parseChoice(AUTH_MODES)) ?? "optional",
    trustedProxies: read("TRUSTED_PROXIES", parseNetworks) ?? [],
    deprecatedAt,
    sunsetAt,
    successorUrl: read("V1_SUCCESSOR_URL", parseUrl),
    docsUrl: read("V1_DOCS_URL", parseUrl) ?? `${publicUrl}/docs`,
    standingMaxAgeMs: read("STANDING_MAX_AGE", parseDuration) ?? 0,
    cacheMaxBytes: read("CACHE_MAX_BYTES", parseBytes) ?? 0,
    cacheMaxAgeMs: read("CACHE_MAX_AGE", parseDuration) ?? 0,
    optOutKey: readSecret("OPT_OUT_KEY", parseOptOutKey),
    databaseConnections: read("DATABASE_CONNECTIONS", parseCount),
    maxConnections: read("MAX_CONNECTIONS", parseCount) ?? 0,
    maxConnectionsPerAddress: read("MAX_CONNECTIONS_PER_ADDRESS", parseCount) ?? 0,
    drainDelayMs: read("DRAIN_DELAY", parseDuration) ?? 0,
    logLevel: read("LOG_LEVEL", parseChoice(LOG_LEVELS)) ?? "info",
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** Throws the error code only: the path could be a secret that was set in the wrong variable. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`${(error as NodeJS.ErrnoException).code}.`);
  }
}

/** Messages go to logs, which must not contain the password of a URL. */
const withoutCredentials = (text: string): string => text.replace(/^(\w+:\/\/)?.*@/, "$1…@");

/** The host for a URL of this server. A wildcard address is not a destination: use localhost. */
export function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return isIP(host) === 6 ? `[${host}]` : host;
}
