import { Person } from "@credence/contract/person.ts";

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
export const PASSPORT_SCHEMA = PERSON.properties?.passport ?? {};
export const CREDENTIALS_SCHEMA = PERSON.properties?.credentials ?? {};

/**
 * A value and its schema, a field that the schema does not have, or one that is missing. `field` is a
 * path such as `passport.passport_socials[].source`; `place` has the numbers of the items.
 */
export type Visit = { field: string; place: string } & (
  | { kind: "value"; value: unknown; schema: Schema }
  | { kind: "unknown" }
  | { kind: "missing" }
);

/**
 * Visits a value and all that is in it, as far as it has the form of the schema. Lazy, unlike the
 * validator: a caller that stops after ten faults does not pay for the rest of a hostile line.
 */
export function* walkSchema(value: unknown, schema: Schema, field = "", place = field): Generator<Visit> {
  yield { kind: "value", field, place, value, schema };
  const { type, items = {}, properties = {}, required = [], maxItems = Number.POSITIVE_INFINITY } = schema;
  if (type === "array" && Array.isArray(value) && value.length <= maxItems) {
    for (const [index, item] of value.entries()) yield* walkSchema(item, items, `${field}[]`, below(place, index));
  }
  if (type !== "object" || !isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(properties, name))
      yield { kind: "unknown", field: below(field, name), place: below(place, name) };
  }
  for (const [name, property] of Object.entries(properties)) {
    const [innerField, innerPlace] = [below(field, name), below(place, name)];
    if (Object.hasOwn(value, name)) yield* walkSchema(value[name], property, innerField, innerPlace);
    else if (required.includes(name)) yield { kind: "missing", field: innerField, place: innerPlace };
  }
}

const below = (path: string, name: string | number): string => (path === "" ? String(name) : `${path}.${name}`);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
