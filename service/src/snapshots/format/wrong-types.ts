import { CREDENTIALS_SCHEMA, PASSPORT_SCHEMA, PERSON, type Schema, walkSchema } from "./walk-schema.ts";

/** A value of a wrong type. */
export type WrongType = { field: string; problem: string };

const SCHEMAS = { "": PERSON, passport: PASSPORT_SCHEMA, credentials: CREDENTIALS_SCHEMA };

/** Finds values of a wrong type in a person or a part of one. `path` is where the part belongs. */
export function* findWrongTypes(value: unknown, path: keyof typeof SCHEMAS): Generator<WrongType> {
  for (const visit of walkSchema(value, SCHEMAS[path], path)) {
    const problem = visit.kind === "value" ? problemOf(visit.value, visit.schema) : null;
    if (problem !== null) yield { field: visit.field, problem };
  }
}

function problemOf(value: unknown, schema: Schema): string | null {
  const types = [schema.type ?? []].flat();
  const type = typeOf(value);
  const isAllowed = types.includes(type) || (type === "integer" && types.includes("number"));
  if (!isAllowed) {
    const [wanted = ""] = types;
    return `is ${article(type)}, not ${article(wanted)}`;
  }
  if (schema.pattern === undefined || typeof value !== "string" || new RegExp(schema.pattern).test(value)) return null;
  return "is not a time like 2024-07-29T15:51:28.071Z";
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

const article = (type: string): string =>
  type === "null" ? "null" : `${/^[aio]/.test(type) ? "an" : "a"} ${type === "integer" ? "integer" : type}`;
