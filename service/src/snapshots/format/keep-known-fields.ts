import { isObject, PERSON, type Schema } from "./walk-schema.ts";

type OnUnknown = (field: string) => void;

/**
 * Returns a copy of a value with the fields of the schema, in the order of the schema. `onUnknown`
 * gets the path of every other field, such as `passport.passport_socials[].verified`. Values of
 * another type than the schema's are copied as they are.
 */
export function keepKnownFields(value: unknown, schema: Schema, path: string, onUnknown: OnUnknown): unknown {
  if (schema.items !== undefined && Array.isArray(value)) {
    const { items } = schema;
    return items.properties === undefined
      ? value
      : value.map((item) => keepKnownFields(item, items, `${path}[]`, onUnknown));
  }
  const { properties } = schema;
  if (properties === undefined || !isObject(value)) return value;
  const prefix = path === "" ? "" : `${path}.`;
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(properties, name)) onUnknown(prefix + name);
  }
  const known: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    known[name] = keepKnownFields(value[name], properties[name] as Schema, prefix + name, onUnknown);
  }
  return known;
}

/** Like `keepKnownFields`, for a line of a snapshot. */
export const keepPersonFields = (value: unknown, onUnknown: OnUnknown): unknown =>
  keepKnownFields(value, PERSON, "", onUnknown);
