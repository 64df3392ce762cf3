import type { Schema } from "#snapshots/format/walk-schema.ts";

// Old servers sent some values in another type. Those with one lossless form in V1 are converted.

/** What is counted about the fields of responses. */
export type FieldNotes = {
  addUnknown: (field: string) => void;
  addConverted: (field: string, conversion: string) => void;
};

export const NO_NOTES: FieldNotes = { addUnknown: () => {}, addConverted: () => {} };

/** Counts that are texts in V1, with their paths. */
const COUNTS: Readonly<Record<string, string>> = {
  follower_count: "passport.passport_socials[].follower_count",
  following_count: "passport.passport_socials[].following_count",
};
const HAS_NUMBER = /"follow(?:er|ing)_count"\s*:\s*\d/;

/**
 * Parses JSON. A count that is a whole number becomes a text with the digits as they were sent, also
 * beyond the precision of a number.
 */
export function parseKeepingCounts(text: string, notes: FieldNotes = NO_NOTES): unknown {
  // Most texts have no such number, and a reviver takes ten times as long.
  if (!HAS_NUMBER.test(text)) return JSON.parse(text);
  return JSON.parse(text, (name: string, value: unknown, context?: { source?: string }) => {
    const field = COUNTS[name];
    const source = context?.source ?? "";
    if (field === undefined || typeof value !== "number" || !/^\d+$/.test(source)) return value;
    notes.addConverted(field, "number to text");
    return source;
  });
}

const DIGITS = /^\d+(\.\d+)?$/;

/** The number that a text like `17.50` means; null if printing the number gives another value. */
export function numberOf(text: string): number | null {
  if (!DIGITS.test(text)) return null;
  const value = Number(text);
  return withoutZeros(String(value)) === withoutZeros(text) ? value : null;
}

/** Without zeros that do not change the value. */
function withoutZeros(digits: string): string {
  const [whole = "", fraction = ""] = digits.split(".");
  return `${whole.replace(/^0+/, "")}.${fraction.replace(/0+$/, "")}`;
}

/** Converts texts to numbers where the schema wants numbers. */
export function convertTexts(value: unknown, schema: Schema, path: string, notes: FieldNotes): unknown {
  const { items, properties } = schema;
  if (typeof value === "string") return convertText(value, schema, path, notes);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return items === undefined || isText(items)
      ? value
      : value.map((item) => convertTexts(item, items, `${path}[]`, notes));
  }
  const fields = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(properties ?? {})) {
    if (Object.hasOwn(fields, name)) fields[name] = convertTexts(fields[name], field, `${path}.${name}`, notes);
  }
  return fields;
}

const typesOf = ({ type }: Schema): readonly string[] => [type ?? []].flat();
const isText = (schema: Schema): boolean => typesOf(schema).includes("string");

function convertText(text: string, schema: Schema, path: string, notes: FieldNotes): unknown {
  const types = typesOf(schema);
  if (isText(schema) || !(types.includes("number") || types.includes("integer"))) return text;
  const number = numberOf(text);
  if (number === null) return text;
  notes.addConverted(path, "text to number");
  return number;
}
