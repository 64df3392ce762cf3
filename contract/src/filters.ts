/**
 * Parameters that V1 does not have, and that can only be meant as a filter or as one person. Ignored,
 * they would give the top of the list to a client that takes the first person for the one it asked
 * about. Not the fields of socials and credentials: `source`, `type` and `value` are words of trackers.
 */
const FIELDS = words(
  "activity_score identity_score skills_score score calculating_score connections_count human_checkmark last_calculated_at",
  "main_wallet passport_id passport_profile verified_wallets merged passport_socials bio display_name location tags",
  // Of passports of the original service.
  "verified name image_url",
);
const PEOPLE = words("passport_id wallet wallet_address address user user_id username handle account");
const OTHERS = words("filter filters where ids email ens fid twitter farcaster github query search");
const COMPARISONS = words("eq ne gt gte gteq lt lte lteq in contains min max");

const pluralOf = (word: string): string => (word.endsWith("s") ? `${word}es` : `${word}s`);
/** Up to the first bracket or dot, without case, `_` and `-`. */
const normalise = (name: string): string =>
  name
    .replace(/[[.].*$/s, "")
    .replaceAll(/[_-]/g, "")
    .toLowerCase();

const COMPARED = [...FIELDS, ...PEOPLE, ...PEOPLE.map(pluralOf), ...OTHERS].map(normalise);
const NAMES: ReadonlySet<string> = new Set([
  "q",
  ...COMPARED,
  ...COMPARED.flatMap((name) => COMPARISONS.flatMap((comparison) => [name + comparison, comparison + name])),
]);

/** Whether a parameter, by its decoded name, is such a filter, whatever its value. */
export const isFilter = (name: string): boolean => NAMES.has(normalise(name));

/** What may be stored of the name of a parameter: the rest of a filter's name can be personal data. */
export const baseOf = (name: string): string => name.replace(/[[.].*$/s, "");

type Query = Readonly<Record<string, unknown>>;

/** Whether the list refuses a request. A working client sends `id` beside `page`. */
export function refusesList(query: Query): boolean {
  for (const name in query) {
    if (name === "page" || name === "per_page" || name === "keyword") continue;
    if (isFilter(name) || (normalise(name) === "id" && !("page" in query) && !("per_page" in query))) return true;
  }
  return false;
}

/** Whether the credentials refuse a request. Without a parameter, it has an empty answer. */
export function refusesCredentials(query: Query): boolean {
  if ("passport_id" in query) return false;
  for (const name in query) if (isFilter(name) || normalise(name) === "id") return true;
  return false;
}

function words(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(" "));
}
