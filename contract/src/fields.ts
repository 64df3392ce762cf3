import Type from "typebox";
import { MAX_INTEGER, MAX_SCORE } from "./person-limits.ts";

type Keywords = { description?: string; examples?: unknown[]; maxLength?: number; pattern?: string };

export const text = Type.String;

export const textOrNull = (keywords: Keywords) => Type.Unsafe<string | null>({ type: ["string", "null"], ...keywords });

export const score = (keywords: Keywords) => Type.Number({ minimum: 0, maximum: MAX_SCORE, ...keywords });

export const scoreOrNull = (keywords: Keywords) =>
  Type.Unsafe<number | null>({ type: ["number", "null"], minimum: 0, maximum: MAX_SCORE, ...keywords });

export const count = (keywords: Keywords & { minimum?: number; maximum?: number }) =>
  Type.Integer({ minimum: 0, maximum: MAX_INTEGER, ...keywords });

/** RFC 3339 in UTC with milliseconds and `Z`. The single format keeps answers byte-stable. */
export const dateTimeOrNull = (keywords: Keywords) =>
  Type.Unsafe<string | null>({
    type: ["string", "null"],
    format: "date-time",
    pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
    examples: ["2024-07-29T15:51:28.071Z"],
    ...keywords,
  });

/** An object that allows no other fields: V1 is frozen. */
export const closed = <Fields extends Type.TProperties>(fields: Fields, keywords: Keywords = {}) =>
  Type.Object(fields, { additionalProperties: false, ...keywords });
