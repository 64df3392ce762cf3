/** The type of a field. `nullable` follows Credence: the specification does not define it. */
type Field = { type: keyof typeof TYPES; nullable?: true };

// ISO 8601, with or without an offset. The specification does not require a specific form.
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

const TYPES = {
  number: (value: unknown) => typeof value === "number",
  integer: (value: unknown) => Number.isInteger(value),
  boolean: (value: unknown) => typeof value === "boolean",
  string: (value: unknown) => typeof value === "string",
  "date-time": (value: unknown) =>
    typeof value === "string" && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)),
  strings: (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  object: (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value),
  objects: (value: unknown) => Array.isArray(value) && value.every(TYPES.object),
};

const nullable = (type: Field["type"]): Field => ({ type, nullable: true });

export const isNumber = (type: string | undefined): boolean => type === "number" || type === "integer";

export type Shape = Readonly<Record<string, Field>>;

// The fields in the specification's order.
const passport = {
  activity_score: { type: "number" },
  identity_score: { type: "number" },
  skills_score: { type: "number" },
  score: nullable("number"),
  calculating_score: { type: "boolean" },
  connections_count: { type: "integer" },
  human_checkmark: { type: "boolean" },
  last_calculated_at: nullable("date-time"),
  main_wallet: nullable("string"),
  passport_id: { type: "integer" },
  passport_profile: { type: "object" },
  verified_wallets: { type: "strings" },
} satisfies Shape;

export const SHAPES = {
  list: { passports: { type: "objects" }, pagination: { type: "object" } },
  single: { passport: { type: "object" } },
  credentials: { passport_credentials: { type: "objects" } },
  pagination: { current_page: { type: "integer" }, last_page: { type: "integer" }, total: { type: "integer" } },
  passport,
  detail: { ...passport, merged: { type: "boolean" }, passport_socials: { type: "objects" } },
  profile: {
    bio: nullable("string"),
    display_name: nullable("string"),
    location: nullable("string"),
    tags: { type: "strings" },
  },
  social: {
    follower_count: nullable("string"),
    following_count: nullable("string"),
    location: nullable("string"),
    profile_bio: nullable("string"),
    profile_display_name: nullable("string"),
    profile_image_url: nullable("string"),
    profile_name: nullable("string"),
    profile_url: nullable("string"),
    source: { type: "string" },
  },
  credential: {
    id: { type: "string" },
    earned_at: nullable("string"),
    category: { type: "string" },
    last_calculated_at: nullable("date-time"),
    max_score: { type: "number" },
    score: { type: "number" },
    name: { type: "string" },
    type: { type: "string" },
    value: nullable("string"),
  },
} satisfies Record<string, Shape>;

export type Json = Record<string, unknown>;

/** The specified fields that an object does not have. */
export function missingFields(object: Json, shape: Shape): string | null {
  const missing = Object.keys(shape).filter((name) => !(name in object));
  return missing.length === 0 ? null : `${missing.join(", ")} missing`;
}

/** The fields of an object that are not specified. */
export function extraFields(object: Json, shape: Shape): string | null {
  const extra = Object.keys(object).filter((name) => !(name in shape));
  return extra.length === 0 ? null : `${extra.join(", ")} added`;
}

/** The first field of a wrong type. Null passes: the specification does not forbid it. */
export function wrongType(object: Json, shape: Shape): string | null {
  for (const [name, { type }] of Object.entries(shape)) {
    const value = object[name] ?? null;
    if (value !== null && !TYPES[type](value)) return `${name} is ${JSON.stringify(value)?.slice(0, 60)}, not ${type}`;
  }
  return null;
}

/** The first null field that is not nullable. */
export function wrongNull(object: Json, shape: Shape): string | null {
  const name = Object.keys(shape).find((key) => object[key] === null && !shape[key]?.nullable);
  return name === undefined ? null : `${name} is null`;
}

/** The fields of an object, if their order is not that of the shape. */
export function wrongOrder(object: Json, shape: Shape): string | null {
  const names = Object.keys(object).join(", ");
  return names === Object.keys(shape).join(", ") ? null : names;
}
