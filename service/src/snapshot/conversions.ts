import { PERSON, type Schema } from "./find-faults.ts";
import { CREDENTIALS_SCHEMA, PASSPORT_SCHEMA } from "./known-fields.ts";

/** A value of a wrong type, and the jq filter that converts all such values; null if none can. */
export type Conversion = { field: string; problem: string; jq: string | null };

const SCHEMAS = { "": PERSON, passport: PASSPORT_SCHEMA, credentials: CREDENTIALS_SCHEMA };

/** Finds values of a wrong type in a person or a part of one. `path` is where the part belongs. */
export function* findConversions(value: unknown, path: keyof typeof SCHEMAS): Generator<Conversion> {
  yield* findIn(value, SCHEMAS[path], path);
}

function* findIn(value: unknown, schema: Schema, path: string): Generator<Conversion> {
  const wrong = conversionOf(value, schema, path);
  if (wrong !== null) yield wrong;
  else if (Array.isArray(value) && schema.items !== undefined) {
    for (const item of value) yield* findIn(item, schema.items, `${path}[]`);
  } else if (typeof value === "object" && value !== null) {
    const prefix = path === "" ? "" : `${path}.`;
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (Object.hasOwn(value, name))
        yield* findIn((value as Record<string, unknown>)[name], field, `${prefix}${name}`);
    }
  }
}

function conversionOf(value: unknown, schema: Schema, field: string): Conversion | null {
  const types = [schema.type ?? []].flat();
  const type = typeOf(value);
  const isAllowed = types.includes(type) || (type === "integer" && types.includes("number"));
  if (!isAllowed) {
    const [wanted = ""] = types;
    const filter = schema.pattern === undefined ? FILTERS[wanted] : FILTERS.timestamp;
    return conversion(field, `is ${article(type)}, not ${article(wanted)}`, filter);
  }
  if (schema.pattern === undefined || typeof value !== "string" || new RegExp(schema.pattern).test(value)) return null;
  return conversion(field, "is not a time like 2024-07-29T15:51:28.071Z", FILTERS.timestamp);
}

const conversion = (field: string, problem: string, filter: string | undefined): Conversion => ({
  field,
  problem,
  jq: filter === undefined || field === "" ? null : `(${selectorOf(field)}) |= (${filter})`,
});

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

const article = (type: string): string =>
  type === "null" ? "null" : `${/^[aio]/.test(type) ? "an" : "a"} ${type === "integer" ? "integer" : type}`;

/**
 * By the wanted type. Null becomes the empty value of the type; what cannot be converted stays. In
 * jq 1.6, `?` on the right side of `|=` deletes the value.
 */
const FILTERS: Readonly<Record<string, string>> = {
  number:
    'if type == "string" then (if test("^-?[0-9]+([.][0-9]+)?$") then tonumber else . end) elif . == null then 0 else . end',
  integer:
    'if type == "string" then (if test("^-?[0-9]+([.][0-9]+)?$") then tonumber else . end) elif type == "number" then floor elif . == null then 0 else . end',
  string: 'if type == "number" or type == "boolean" then tostring elif . == null then "" else . end',
  boolean:
    'if . == "true" or . == "t" or . == 1 then true elif . == "false" or . == "f" or . == 0 or . == null then false else . end',
  array: "if . == null then [] else . end",
  timestamp:
    'if type == "number" then ((if . > 100000000000 then . / 1000 else . end) | floor | todate) else . end | if type == "string" then (sub(" "; "T") | sub("(Z|[+]00:?00)$"; "") | if test("[.][0-9]+$") then sub("[.](?<f>[0-9]+)$"; "." + (.f + "000")[0:3]) else . + ".000" end | . + "Z") else . end',
};

/**
 * A jq path to a field, in a line of a snapshot and in saved responses of every form. Fields that
 * are absent stay absent: an entry of the list must not look like a complete passport.
 */
function selectorOf(field: string): string {
  const [root = "", ...names] = field.replaceAll("[]", ".[]").split(".");
  const start =
    root === "passport"
      ? '.. | objects | select(has("passport_id"))'
      : root === "credentials"
        ? ".. | objects | (.credentials, .passport_credentials) | arrays"
        : `.. | objects | select(has("${root}")) | .${root}`;
  return [start, ...names.map(stepTo)].join(" | ");
}

const stepTo = (name: string): string =>
  name === "[]" ? "arrays | .[]" : `objects | select(has("${name}")) | .${name}`;
