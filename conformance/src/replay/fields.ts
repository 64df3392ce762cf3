import { isNumber, type Json, SHAPES, type Shape } from "../shape.ts";
import { compareTimes, type FieldRule, timeOf } from "./values.ts";

export type ShapeName = keyof typeof SHAPES | "error";

const CHILDREN: Partial<Record<ShapeName, Record<string, ShapeName>>> = {
  list: { passports: "passport", pagination: "pagination" },
  single: { passport: "detail" },
  credentials: { passport_credentials: "credential" },
  passport: { passport_profile: "profile" },
  detail: { passport_profile: "profile", passport_socials: "social" },
};

/** The shape of a field that is an object or an array of objects. */
export const childOf = (shape: ShapeName, name: string): ShapeName | undefined => CHILDREN[shape]?.[name];

const ERROR: Shape = { error: { type: "string" }, code: { type: "string" } };
const fieldOf = (shape: ShapeName, name: string) => {
  const fields: Shape = shape === "error" ? ERROR : SHAPES[shape];
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
};

export const isTextArray = (shape: ShapeName, name: string): boolean => fieldOf(shape, name)?.type === "strings";

/** An unknown field may be null: nothing is known about it. */
export function ruleOf(shape: ShapeName, name: string): FieldRule {
  const field = fieldOf(shape, name);
  return {
    isNullable: field === undefined || field.nullable === true,
    isDateTime: field?.type === "date-time" || name === "earned_at",
    isWallet: name === "main_wallet",
    isNumber: isNumber(field?.type),
  };
}

/** The name of a field for the report. A server could use a value as a name, such as a wallet. */
export const printedName = (shape: ShapeName, name: string): string =>
  fieldOf(shape, name) !== undefined || /^[a-z][a-z0-9_]{0,29}$/i.test(name) ? name : "(masked)";

// What a calculation can change. It changes no name, text, wallet, social profile or `merged`, so a
// newer last_calculated_at does not explain differences in them.
const PASSPORT_FIELDS = new Set([
  ...["activity_score", "identity_score", "skills_score", "score", "calculating_score"],
  ...["connections_count", "human_checkmark", "last_calculated_at"],
]);
const CALCULATED: Partial<Record<ShapeName, ReadonlySet<string>>> = {
  passport: PASSPORT_FIELDS,
  detail: PASSPORT_FIELDS,
  credential: new Set(["score", "max_score", "value", "earned_at", "last_calculated_at"]),
};

/** The fields whose differences are explained because the old server calculated them later. */
export const fieldsOfCalculation = (shape: ShapeName, old: Json, next: Json): ReadonlySet<string> =>
  (isNewer(old.last_calculated_at, next.last_calculated_at) ? CALCULATED[shape] : undefined) ?? new Set();

/** Whether the old server's time is later. Null is before every time. */
export const isNewer = (old: unknown, next: unknown): boolean =>
  next === null ? timeOf(old) !== null : (compareTimes(old, next) ?? 0) > 0;
