import { formatTime } from "./brownouts.ts";
import type { Config } from "./config.ts";

/** Settings as text, in a form that is the same for equal settings; null: not set. */
export type ShownSettings = Readonly<Record<string, string | null>>;

const seconds = (ms: number): string => `${ms / 1_000}s`;
const list = (items: readonly string[]): string | null => (items.length === 0 ? null : items.join(","));
const onOrOff = (isOn: boolean): string => (isOn ? "on" : "off");

/**
 * What callers and holders notice, and what must be the same for all nodes. A node tells this list and
 * nothing else: no secret, no path, and nothing that is different on each machine.
 */
const SHOWN: Readonly<Record<string, (config: Config) => string | null>> = {
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  AUTH_MODE: ({ authMode }) => authMode,
  TRUSTED_PROXIES: ({ trustedProxies }) => list(trustedProxies),
  RATE_LIMIT_ANONYMOUS: ({ rateLimitAnonymous }) => String(rateLimitAnonymous),
  RATE_LIMIT_KEYS: ({ rateLimitKeys }) => String(rateLimitKeys),
  RATE_LIMIT_EXEMPT: ({ rateLimitExempt }) => list(rateLimitExempt),
  V1_DEPRECATED_AT: ({ deprecatedAt }) => formatTime(deprecatedAt),
  V1_SUNSET_AT: ({ sunsetAt }) => sunsetAt && formatTime(sunsetAt),
  V1_BROWNOUTS: ({ brownouts }) =>
    list(brownouts.map(({ startsAt, endsAt }) => `${formatTime(startsAt)}/${formatTime(endsAt)}`)),
  V1_SUCCESSOR_URL: ({ successorUrl }) => successorUrl,
  // Not set: it follows PUBLIC_URL.
  V1_DOCS_URL: ({ docsUrl, publicUrl }) => (docsUrl === `${publicUrl}/deprecation` ? null : docsUrl),
  V1_ALSO_AT: ({ v1AlsoAt }) => list(v1AlsoAt),
  EXPLORER: ({ hasExplorer }) => onOrOff(hasExplorer),
  EXPLORER_INDEX: ({ explorerIndex }) => onOrOff(explorerIndex),
  OPERATOR_NAME: ({ operator }) => operator.name,
  OPERATOR_CONTACT: ({ operator }) => operator.contact,
  PRIVACY_URL: ({ operator }) => operator.privacyUrl,
  CACHE_MAX_AGE: ({ cacheMaxAgeMs }) => seconds(cacheMaxAgeMs),
  HOLDER_REQUESTS: ({ holderRequests }) => holderRequests,
  ERASE_GRACE: ({ eraseGraceMs }) => formatGrace(eraseGraceMs),
};

const formatGrace = (ms: number): string =>
  ms % 3_600_000 === 0 ? `${ms / 3_600_000}h` : `${Math.round(ms / 60_000)} min`;

export const showSettings = (config: Config): ShownSettings =>
  Object.fromEntries(Object.entries(SHOWN).map(([name, show]) => [name, show(config)]));

/** The known settings of an answer from the network, whose sender may have another version. */
export function readShownSettings(value: unknown): ShownSettings {
  const isText = (text: unknown): text is string | null => text === null || typeof text === "string";
  return Object.fromEntries(
    Object.entries(Object(value) as Record<string, unknown>).flatMap(([name, text]) =>
      Object.hasOwn(SHOWN, name) && isText(text) ? [[name, text]] : [],
    ),
  );
}

/** Settings, and the process or the shell that has them. */
export type SettingsSource = { name: string; settings: ShownSettings };

/** The settings that differ, with who has which: `AUTH_MODE is open (a, b), optional (c)`. What a source does not tell is not compared. */
export function describeDifferences(sources: readonly SettingsSource[]): string[] {
  const names = new Set(sources.flatMap(({ settings }) => Object.keys(settings)));
  return [...names].flatMap((name) => {
    const told = sources.filter(({ settings }) => Object.hasOwn(settings, name));
    const groups = Map.groupBy(told, ({ settings }) => settings[name] ?? "not set");
    if (groups.size < 2) return [];
    const values = [...groups].map(
      ([value, group]) => `${value} (${[...new Set(group.map((source) => source.name))].join(", ")})`,
    );
    return [`${name} is ${values.join(", ")}`];
  });
}
