import { Errors } from "typebox/schema";
import { isObject, PERSON, type Schema, type Visit, walkSchema } from "./walk-schema.ts";

/**
 * `field` is a path such as `credentials.0.score`, or null if the fault concerns the whole line. Faults
 * of a `kind` are counted together; if it is absent, those with the same reason are.
 */
export type Fault = { field: string | null; reason: string; kind?: string };

export const INVALID_TIMESTAMP = "must be a timestamp such as 2024-07-29T15:51:28.071Z";

/** Compares a value with the schema of a person, field by field, in order. */
export function* findFaults(value: unknown, schema: Schema = PERSON): Generator<Fault> {
  for (const visit of walkSchema(value, schema)) {
    const fault = faultOf(visit);
    if (fault !== null) yield { field: visit.place === "" ? null : visit.place, ...fault };
  }
}

function faultOf(visit: Visit): Omit<Fault, "field"> | null {
  if (visit.kind === "unknown") return { reason: "is not a known field" };
  if (visit.kind === "missing") return { reason: "is missing" };
  const { value, schema } = visit;
  if (schema.type === "object") return isObject(value) ? null : { reason: "must be an object" };
  if (schema.type !== "array") return leafFaultOf(value, schema);
  if (!Array.isArray(value)) return { reason: "must be an array" };
  const { maxItems } = schema;
  return maxItems !== undefined && value.length > maxItems ? tooMany(value.length, maxItems, "items") : null;
}

function leafFaultOf(value: unknown, schema: Schema): Omit<Fault, "field"> | null {
  const [isValid, [error]] = Errors(schema, value);
  if (isValid || error === undefined) return null;
  if (error.keyword === "maxLength") return tooMany([...(value as string)].length, schema.maxLength, "characters");
  return { reason: error.keyword === "pattern" || error.keyword === "format" ? INVALID_TIMESTAMP : error.message };
}

const tooMany = (count: number, most: number | undefined, what: string): Omit<Fault, "field"> => ({
  reason: `has ${count} ${what}; at most ${most} are allowed`,
  kind: `has too many ${what}; at most ${most} are allowed`,
});
