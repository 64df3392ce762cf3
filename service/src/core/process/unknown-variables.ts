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

export type UnknownVariable = { name: string; nearest: string };

/** Variables that look like settings and are not: probably misspelt. Their values are not read. */
export function findUnknownVariables(environment: Environment): UnknownVariable[] {
  return Object.keys(environment)
    .filter((name) => !SETTINGS.includes(name) && !SERVICE_LINK.test(name))
    .flatMap((name) => {
      const { nearest, distance } = findNearest(name);
      const maxDistance = normalize(name).length < SHORT_CHARACTERS ? 1 : 2;
      const isOurs = PREFIXES.some((prefix) => name.toUpperCase().startsWith(prefix));
      return distance <= maxDistance || isOurs ? [{ name, nearest }] : [];
    })
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** Variables that are no settings, in a file that should contain nothing else. */
export const findStrayVariables = (names: readonly string[]): UnknownVariable[] =>
  names.filter((name) => !SETTINGS.includes(name)).map((name) => ({ name, nearest: findNearest(name).nearest }));

export const describeUnknown = ({ name, nearest }: UnknownVariable): string =>
  `${name} is not a setting, and has no effect. The nearest is ${nearest}.`;

const normalize = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");

/** The nearest setting. One that begins with the name is nearer than others: it was cut off. */
function findNearest(name: string): { nearest: string; distance: number } {
  const compared = SETTINGS.filter((setting) => setting.length >= MIN_COMPARED_CHARACTERS).map((nearest) => ({
    nearest,
    distance: countEdits(normalize(name), normalize(nearest)),
  }));
  const pickNearest = (some: typeof compared) =>
    some.reduce((best, next) => (next.distance < best.distance ? next : best));
  const { nearest, distance } = pickNearest(compared);
  const longer = compared.filter((setting) => normalize(setting.nearest).startsWith(normalize(name)));
  return { nearest: longer.length === 0 ? nearest : pickNearest(longer).nearest, distance };
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
