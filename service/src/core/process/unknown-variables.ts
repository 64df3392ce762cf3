import type { Environment } from "#core/config/config.ts";
import { SECRETS, VARIABLES } from "#core/config/variables.ts";

/** Every name that is read. */
const SETTINGS: readonly string[] = [...Object.keys(VARIABLES), ...SECRETS.map((name) => `${name}_FILE`)];

/** No other program uses these. Not `DATABASE_` and the like, which platforms set. */
const PREFIXES = [
  "V1_",
  "RATE_LIMIT",
  "RATELIMIT",
  "AUTH_",
  "HOLDER_",
  "OPT_OUT_",
  "OPERATOR",
  "EXPLORER_",
  "STANDING_",
  "ERASE_",
  "USAGE_",
  "TRUSTED_",
  "BROWNOUT",
  "SUNSET",
  "DECISIONS_",
];

/** What Kubernetes and Docker set for other services, such as DATABASE_PORT_5432_TCP. */
const SERVICE_LINK = /_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP)(_.*)?)?)$/;

/** Shorter settings, such as HOST, resemble too many other names. */
const MIN_COMPARED_CHARACTERS = 7;
const SHORT_CHARACTERS = 8;
const COMPARED = SETTINGS.filter((setting) => setting.length >= MIN_COMPARED_CHARACTERS);

export type UnknownVariable = { name: string; nearest: string };

/** Variables that look like settings and are not: probably misspelt. Their values are not read. */
export function findUnknownVariables(environment: Environment): UnknownVariable[] {
  return Object.keys(environment)
    .filter((name) => !SETTINGS.includes(name) && !SERVICE_LINK.test(name))
    .filter((name) => PREFIXES.some((prefix) => name.toUpperCase().startsWith(prefix)) || resemblesSetting(name))
    .map((name) => ({ name, nearest: findNearest(name) }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

function resemblesSetting(name: string): boolean {
  const isShort = normalize(name).length < SHORT_CHARACTERS;
  return COMPARED.some((setting) => countDifferences(name, setting) <= (isShort ? 1 : 2));
}

/** Variables that are no settings, in a file that should contain nothing else. */
export const findStrayVariables = (names: readonly string[]): UnknownVariable[] =>
  names.filter((name) => !SETTINGS.includes(name)).map((name) => ({ name, nearest: findNearest(name) }));

export const describeUnknown = ({ name, nearest }: UnknownVariable): string =>
  `${name} is not a setting, and has no effect. The nearest is ${nearest}.`;

const normalize = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");

/** The nearest setting. One that begins with the name is nearer than others: it was cut off. */
function findNearest(name: string): string {
  const longer = COMPARED.filter((setting) => normalize(setting).startsWith(normalize(name)));
  const distances = (longer.length === 0 ? COMPARED : longer).map((setting) => ({
    setting,
    distance: countDifferences(name, setting),
  }));
  return distances.reduce((best, next) => (next.distance < best.distance ? next : best)).setting;
}

/** How many letters only one of two names has, whatever their order. A replaced letter counts twice. */
function countDifferences(name: string, setting: string): number {
  const [from, to] = [normalize(name), normalize(setting)];
  let rest = to;
  for (const letter of from) rest = rest.replace(letter, "");
  const common = to.length - rest.length;
  return from.length - common + rest.length;
}
