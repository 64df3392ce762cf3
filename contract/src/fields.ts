import Type from "typebox";

/** The largest integer a JSON number carries safely, 2^53 − 1; the upper end of every integer in V1. */
export const LARGEST_INTEGER = Number.MAX_SAFE_INTEGER;

/** The upper end of every score. It keeps printed numbers free of exponents. */
export const LARGEST_SCORE = 1e15;

type Notes = { description?: string; examples?: unknown[]; maxLength?: number; pattern?: string };

export const text = (notes: Notes = {}) => Type.String(notes);

export const textOrNull = (notes: Notes = {}) => Type.Unsafe<string | null>({ type: ["string", "null"], ...notes });

export const score = (notes: Notes = {}) => Type.Number({ minimum: 0, maximum: LARGEST_SCORE, ...notes });

export const scoreOrNull = (notes: Notes = {}) =>
  Type.Unsafe<number | null>({ type: ["number", "null"], minimum: 0, maximum: LARGEST_SCORE, ...notes });

export const count = (notes: Notes & { minimum?: number } = {}) =>
  Type.Integer({ minimum: 0, maximum: LARGEST_INTEGER, ...notes });

/** RFC 3339 in UTC with milliseconds and `Z`: one spelling for one moment, so that answers stay byte-stable. */
export const momentOrNull = (notes: Notes = {}) =>
  Type.Unsafe<string | null>({
    type: ["string", "null"],
    format: "date-time",
    pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
    examples: ["2024-07-29T15:51:28.071Z"],
    ...notes,
  });

/** V1 is frozen: an object holds its listed fields and no other. */
export const closed = <Fields extends Type.TProperties>(fields: Fields, notes: Notes = {}) =>
  Type.Object(fields, { additionalProperties: false, ...notes });
