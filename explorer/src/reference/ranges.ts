import { referredName, type Schema } from "./openapi.ts";

/** The type as text: `number or null`, `array of string`. A reference to a schema is `object`. */
export function describeType(schema: Schema): string {
  if (schema.$ref !== undefined) return "object";
  if (schema.items !== undefined) return `array of ${describeType(schema.items)}`;
  return [schema.type ?? "any"].flat().join(" or ");
}

/** The name of the schema of an object, or of the objects in an array. */
export const objectName = (schema: Schema): string | null => referredName(schema) ?? referredName(schema.items ?? {});

const LIMITS: Readonly<Record<number, string>> = {
  [Number.MAX_SAFE_INTEGER]: "9007199254740991 (2^53 − 1)",
  1000000000000000: "1000000000000000 (10^15)",
};
const limit = (value: number): string => LIMITS[value] ?? String(value);

/** The allowed values as text; null for objects. */
export function describeRange(schema: Schema): string | null {
  const parts = [describeBounds(schema), describeContent(schema)].filter((part) => part !== null);
  if (schema.default !== undefined) parts.push(`default ${schema.default}`);
  return parts.length === 0 ? null : parts.join("; ");
}

function describeBounds({ minimum, maximum }: Schema): string | null {
  if (minimum === undefined && maximum === undefined) return null;
  if (maximum === undefined) return `from ${minimum}`;
  return `${minimum ?? "any"} to ${limit(maximum)}`;
}

function describeContent({ type, format, maxLength, items }: Schema): string | null {
  if (items !== undefined) return "any number of items";
  if (format === "date-time") return "RFC 3339 in UTC";
  if (maxLength !== undefined) return `at most ${maxLength} characters`;
  if ([type].flat().includes("boolean")) return "true or false";
  return [type].flat().includes("string") ? "any text" : null;
}
