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
  "PROTECTIONS_",
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
  const normalized = normalize(name);
  const maxEdits = normalized.length < SHORT_CHARACTERS ? 1 : 2;
  return COMPARED.some((setting) => {
    const other = normalize(setting);
    // Most variables of an environment have another length, so that little time is spent on each at every start.
    return Math.abs(other.length - normalized.length) <= maxEdits && countEdits(normalized, other) <= maxEdits;
  });
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
    distance: countEdits(normalize(name), normalize(setting)),
  }));
  return distances.reduce((best, next) => (next.distance < best.distance ? next : best)).setting;
}

/** How many characters must be inserted, deleted, replaced or swapped with the next one. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let index = 1; index <= to.length; index += 1) {
      const isSame = from[row - 1] === to[index - 1];
      const edits = [
        (last[index] as number) + 1,
        (current[index - 1] as number) + 1,
        (last[index - 1] as number) + (isSame ? 0 : 1),
      ];
      const isSwapped = row > 1 && index > 1 && from[row - 1] === to[index - 2] && from[row - 2] === to[index - 1];
      current.push(Math.min(...edits, isSwapped ? (beforeLast[index - 2] as number) + 1 : Infinity));
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] as number;
}
