import { referredName, type Schema } from "./openapi.ts";

/** The type in words: `number or null`, `array of string`. A schema that is named elsewhere is called an object. */
export function typeInWords(schema: Schema): string {
  if (schema.$ref !== undefined) return "object";
  if (schema.items !== undefined) return `array of ${typeInWords(schema.items)}`;
  return [schema.type ?? "any"].flat().join(" or ");
}

/** The object schema that the fields of a value are listed under, if it has any. */
export const objectName = (schema: Schema): string | null =>
  referredName(schema) ?? (schema.items ? referredName(schema.items) : null);

const LIMITS: Readonly<Record<number, string>> = {
  [Number.MAX_SAFE_INTEGER]: "9007199254740991 (2^53 − 1)",
  1000000000000000: "1000000000000000 (10^15)",
};
const limit = (value: number): string => LIMITS[value] ?? String(value);

/** What values a schema allows, in words; null when the type says it all. */
export function rangeInWords(schema: Schema): string | null {
  const words = [boundsInWords(schema), textInWords(schema)].filter((part) => part !== null);
  if (schema.default !== undefined) words.push(`${schema.default} when missing`);
  return words.length === 0 ? null : words.join("; ");
}

function boundsInWords({ minimum, maximum }: Schema): string | null {
  if (minimum === undefined && maximum === undefined) return null;
  if (maximum === undefined) return `from ${minimum}`;
  return `${minimum ?? "any"} to ${limit(maximum)}`;
}

function textInWords({ type, format, maxLength, items }: Schema): string | null {
  if (items !== undefined) return "any number of items";
  if (format === "date-time") return "RFC 3339 in UTC";
  if (maxLength !== undefined) return `at most ${maxLength} characters`;
  if ([type].flat().includes("boolean")) return "true or false";
  return [type].flat().includes("string") ? "any text" : null;
}
