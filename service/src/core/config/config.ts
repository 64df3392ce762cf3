import { readFileSync } from "node:fs";
import { findBrownoutFaults } from "./brownouts.ts";
import type { Brownout } from "./calendar.ts";
import {
  ownNode,
  parseBaseUrl,
  parseBrownouts,
  parseBytes,
  parseChoice,
  parseContact,
  parseCount,
  parseDatabaseUrl,
  parseDate,
  parseDays,
  parseDuration,
  parseHost,
  parseKeys,
  parseLimit,
  parseName,
  parseNetworks,
  parseNodes,
  parsePeriod,
  parsePort,
  parsePrefixes,
  parseSecrets,
  parseUrl,
  urlHost,
} from "./config-values.ts";
import { type SECRETS, VARIABLES, type Variable } from "./variables.ts";

/** All settings, read once from the environment, validated, and passed on as a parameter. */
export type Config = Readonly<{
  databaseUrl: string | null;
  /** A streaming replica, read instead of the primary while it is healthy. */
  databaseReadUrl: string | null;
  host: string;
  port: number;
  privateHost: string;
  privatePort: number;
  /** The private addresses of all nodes, which commands ask; empty: none is asked. */
  nodes: readonly string[];
  publicUrl: string;
  authMode: AuthMode;
  trustedProxies: readonly string[];
  /** Points per 10 seconds of a client without a key, and of a key; 0: no limit. */
  rateLimitAnonymous: number;
  rateLimitKeys: number;
  /** Networks without a limit. */
  rateLimitExempt: readonly string[];
  deprecatedAt: Date;
  sunsetAt: Date | null;
  /** Times at which V1 is switched off as a rehearsal, in order. */
  brownouts: readonly Brownout[];
  successorUrl: string | null;
  /** Further prefixes under which V1 is served, such as /api/v2. */
  v1AlsoAt: readonly string[];
  /** What happens to parameters that V1 does not have, and that can only be meant as filters. */
  docsUrl: string;
  /** Whether this server has pages about people, and whether search engines may list them. */
  hasExplorer: boolean;
  explorerIndex: boolean;
  /** Who runs this server: a name, an https: or mailto: address, a privacy notice. */
  operator: Readonly<{ name: string | null; contact: string | null; privacyUrl: string | null }>;
  /** Maximum age of the standing while people change. */
  standingMaxAgeMs: number;
  /** Memory for cached answers; 0 disables the cache. */
  cacheMaxBytes: number;
  cacheMaxAgeMs: number;
  /** The secrets that key the hashes of erased wallets and files of decisions, the newest first: it makes new ones. */
  optOutKeys: readonly string[];
  /** Whether holders may send requests, and whether the operator decides on each of them. */
  holderRequests: HolderRequestMode;
  /** The secrets that key the nonces of holders' requests, the newest first. All nodes and workers share them. */
  holderKeys: string[];
  /** The time between the request to erase a record and its erasure, at most 30 days. */
  eraseGraceMs: number;
  /** ERASE_GRACE is longer than that. */
  isEraseGraceTooLong: boolean;
  /** Connections to each database; null: as many as can be used. */
  databaseConnections: number | null;
  /** Connections that a node accepts on its public port, in total and per client address. */
  maxConnections: number;
  maxConnectionsPerAddress: number;
  drainDelayMs: number;
  /** How many days the worker keeps counts of requests. */
  usageRetentionDays: number;
  /** The file of decisions that the worker writes. */
  decisionsFile: string | null;
  /** Where backups are, for `credence doctor`. */
  backupFolder: string | null;
  logLevel: LogLevel;
  /** Set by `credence demo` only. */
  isDemo: boolean;
}>;

const AUTH_MODES = ["optional", "required", "open"] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

const HOLDER_REQUEST_MODES = ["off", "review", "on"] as const;
type HolderRequestMode = (typeof HOLDER_REQUEST_MODES)[number];

const SWITCH = ["on", "off"] as const;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Nobody who asked to be erased waits longer. */
const MAX_ERASE_GRACE_MS = 30 * 86_400_000;

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
  const readSecret = <Value>(name: (typeof SECRETS)[number], parseValue: (text: string) => Value): Value | null => {
    const path = environment[`${name}_FILE`];
    if (path && environment[name]) {
      problems.push(`${name} and ${name}_FILE are both set: set only one.`);
      return null;
    }
    const text = path ? attempt(`${name}_FILE cannot be read`, () => readSecretFile(path)) : environment[name];
    const trimmed = text?.trim();
    if (path && trimmed === "") problems.push(`The file that ${name}_FILE names is empty.`);
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
  const brownouts = read("V1_BROWNOUTS", parseBrownouts) ?? [];
  // A sunset that is invalid has a problem already.
  if (brownouts.length > 0 && (sunsetAt !== null || !environment.V1_SUNSET_AT?.trim())) {
    problems.push(...findBrownoutFaults(brownouts, sunsetAt).map((fault) => `V1_BROWNOUTS: ${fault}`));
  }

  const authMode = read("AUTH_MODE", parseChoice(AUTH_MODES)) ?? "optional";
  const explorer = read("EXPLORER", parseChoice(SWITCH));
  if (explorer === "on" && authMode === "required") {
    problems.push(
      "EXPLORER is on, but AUTH_MODE is required: pages about people would need no key. Unset one of them.",
    );
  }

  const optOutKeys = readSecret("OPT_OUT_KEY", parseSecrets) ?? [];
  const holderKeys = readSecret("HOLDER_KEY", parseKeys) ?? [];
  if (optOutKeys.some((key) => holderKeys.includes(key))) {
    problems.push(
      "HOLDER_KEY equals OPT_OUT_KEY: expected another secret, as serving nodes must not know OPT_OUT_KEY.",
    );
  }
  const holderMode = read("HOLDER_REQUESTS", parseChoice(HOLDER_REQUEST_MODES));
  const hasPublicUrl = Boolean(environment.PUBLIC_URL?.trim());
  if (holderMode !== null && holderMode !== "off" && (holderKeys.length === 0 || !hasPublicUrl)) {
    problems.push(
      `HOLDER_REQUESTS is ${holderMode}, which needs PUBLIC_URL and HOLDER_KEY: set both, or set HOLDER_REQUESTS to off.`,
    );
  }

  const askedGraceMs = read("ERASE_GRACE", parsePeriod) ?? 0;

  const config: Config = {
    databaseUrl: readSecret("DATABASE_URL", parseDatabaseUrl),
    databaseReadUrl: readSecret("DATABASE_READ_URL", parseDatabaseUrl),
    host,
    port,
    privateHost,
    privatePort,
    nodes: read("NODES", parseNodes) ?? ownNode(privateHost, privatePort),
    publicUrl,
    authMode,
    trustedProxies: read("TRUSTED_PROXIES", parseNetworks) ?? [],
    rateLimitAnonymous: read("RATE_LIMIT_ANONYMOUS", parseLimit) ?? 0,
    rateLimitKeys: read("RATE_LIMIT_KEYS", parseLimit) ?? 0,
    rateLimitExempt: read("RATE_LIMIT_EXEMPT", parseNetworks) ?? [],
    deprecatedAt,
    sunsetAt,
    brownouts,
    successorUrl: read("V1_SUCCESSOR_URL", parseUrl),
    v1AlsoAt: read("V1_ALSO_AT", parsePrefixes) ?? [],
    docsUrl: read("V1_DOCS_URL", parseUrl) ?? `${publicUrl}/deprecation`,
    hasExplorer: explorer !== "off" && authMode !== "required",
    explorerIndex: read("EXPLORER_INDEX", parseChoice(SWITCH)) === "on",
    operator: {
      name: read("OPERATOR_NAME", parseName),
      contact: read("OPERATOR_CONTACT", parseContact),
      privacyUrl: read("PRIVACY_URL", parseUrl),
    },
    standingMaxAgeMs: read("STANDING_MAX_AGE", parseDuration) ?? 0,
    cacheMaxBytes: read("CACHE_MAX_BYTES", parseBytes) ?? 0,
    cacheMaxAgeMs: read("CACHE_MAX_AGE", parseDuration) ?? 0,
    optOutKeys,
    holderRequests: holderMode ?? (holderKeys.length > 0 && hasPublicUrl ? "review" : "off"),
    holderKeys,
    eraseGraceMs: Math.min(askedGraceMs, MAX_ERASE_GRACE_MS),
    isEraseGraceTooLong: askedGraceMs > MAX_ERASE_GRACE_MS,
    databaseConnections: read("DATABASE_CONNECTIONS", parseCount),
    maxConnections: read("MAX_CONNECTIONS", parseCount) ?? 0,
    maxConnectionsPerAddress: read("MAX_CONNECTIONS_PER_ADDRESS", parseCount) ?? 0,
    drainDelayMs: read("DRAIN_DELAY", parseDuration) ?? 0,
    usageRetentionDays: read("USAGE_RETENTION", parseDays) ?? 0,
    decisionsFile: read("DECISIONS_FILE", (path) => path),
    backupFolder: read("BACKUP_FOLDER", (path) => path),
    logLevel: read("LOG_LEVEL", parseChoice(LOG_LEVELS)) ?? "info",
    isDemo: false,
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** Messages go to logs, which must not contain the password of a URL. */
const withoutCredentials = (text: string): string => text.replace(/^(\w+:\/\/)?.*@/, "$1…@");

const FILE_FAULTS: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
};

/** The message does not contain the path: it could be a secret that was set in the wrong variable. */
function readSecretFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    throw new Error(`${FILE_FAULTS[code] ?? code}; expected the path of a file that this user can read.`);
  }
}
