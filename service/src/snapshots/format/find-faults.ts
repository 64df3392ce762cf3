import { Person } from "@credence/contract/person.ts";
import { Errors } from "typebox/schema";

/** `field` is a path such as `passport.score`, or null if the fault concerns the whole line. */
export type Fault = { field: string | null; reason: string };

export type Schema = {
  type?: string | readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  maxItems?: number;
  maxLength?: number;
  pattern?: string;
};

export const PERSON = Person as unknown as Schema;

export const INVALID_TIMESTAMP = "must be a timestamp such as 2024-07-29T15:51:28.071Z";

/**
 * Compares a value with the schema of a person, field by field, in order. Lazy, unlike the
 * validator: a caller that stops after ten faults does not pay for the rest of a hostile line.
 */
export function* findFaults(value: unknown, schema: Schema = PERSON, path = ""): Generator<Fault> {
  if (schema.type === "object") yield* findObjectFaults(value, schema, path);
  else if (schema.type === "array") yield* findArrayFaults(value, schema, path);
  else yield* findLeafFaults(value, schema, path);
}

const fault = (path: string, reason: string): Fault => ({ field: path === "" ? null : path.slice(1), reason });

function* findObjectFaults(value: unknown, { properties = {}, required = [] }: Schema, path: string): Generator<Fault> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return yield fault(path, "must be an object");
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(properties, name)) yield fault(`${path}.${name}`, "is not a known field");
  }
  for (const [name, schema] of Object.entries(properties)) {
    if (Object.hasOwn(value, name))
      yield* findFaults((value as Record<string, unknown>)[name], schema, `${path}.${name}`);
    else if (required.includes(name)) yield fault(`${path}.${name}`, "is missing");
  }
}

function* findArrayFaults(value: unknown, { items = {}, maxItems }: Schema, path: string): Generator<Fault> {
  if (!Array.isArray(value)) return yield fault(path, "must be an array");
  if (maxItems !== undefined && value.length > maxItems) {
    return yield fault(path, `has ${value.length} items; at most ${maxItems} are allowed`);
  }
  for (const [index, item] of value.entries()) yield* findFaults(item, items, `${path}.${index}`);
}

function* findLeafFaults(value: unknown, schema: Schema, path: string): Generator<Fault> {
  const [isValid, [error]] = Errors(schema, value);
  if (isValid || error === undefined) return;
  if (error.keyword === "maxLength") {
    const length = [...(value as string)].length;
    yield fault(path, `has ${length} characters; at most ${schema.maxLength} are allowed`);
  } else {
    yield fault(path, error.keyword === "pattern" || error.keyword === "format" ? INVALID_TIMESTAMP : error.message);
  }
}
