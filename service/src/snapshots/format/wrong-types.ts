import { PERSON, type Schema } from "./find-faults.ts";
import { CREDENTIALS_SCHEMA, PASSPORT_SCHEMA } from "./keep-known-fields.ts";

/** A value of a wrong type. */
export type WrongType = { field: string; problem: string };

const SCHEMAS = { "": PERSON, passport: PASSPORT_SCHEMA, credentials: CREDENTIALS_SCHEMA };

/** Finds values of a wrong type in a person or a part of one. `path` is where the part belongs. */
export function* findWrongTypes(value: unknown, path: keyof typeof SCHEMAS): Generator<WrongType> {
  yield* findIn(value, SCHEMAS[path], path);
}

function* findIn(value: unknown, schema: Schema, path: string): Generator<WrongType> {
  const wrong = wrongTypeOf(value, schema, path);
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

function wrongTypeOf(value: unknown, schema: Schema, field: string): WrongType | null {
  const types = [schema.type ?? []].flat();
  const type = typeOf(value);
  const isAllowed = types.includes(type) || (type === "integer" && types.includes("number"));
  if (!isAllowed) {
    const [wanted = ""] = types;
    return { field, problem: `is ${article(type)}, not ${article(wanted)}` };
  }
  if (schema.pattern === undefined || typeof value !== "string" || new RegExp(schema.pattern).test(value)) return null;
  return { field, problem: "is not a time like 2024-07-29T15:51:28.071Z" };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

const article = (type: string): string =>
  type === "null" ? "null" : `${/^[aio]/.test(type) ? "an" : "a"} ${type === "integer" ? "integer" : type}`;
