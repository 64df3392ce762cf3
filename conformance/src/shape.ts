/** What a field holds, and whether it may be null (the specification does not say; Credence's contract does). */
type Field = { is: keyof typeof TYPES; nullable?: true };

// ISO 8601, with or without offset: the specification asks for no more.
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

const TYPES = {
  number: (value: unknown) => typeof value === "number",
  integer: (value: unknown) => Number.isInteger(value),
  boolean: (value: unknown) => typeof value === "boolean",
  string: (value: unknown) => typeof value === "string",
  "date-time": (value: unknown) => typeof value === "string" && MOMENT.test(value) && !Number.isNaN(Date.parse(value)),
  strings: (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  object: (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value),
  objects: (value: unknown) => Array.isArray(value) && value.every(TYPES.object),
};

const nullable = (is: Field["is"]): Field => ({ is, nullable: true });

export type Shape = Readonly<Record<string, Field>>;

// The specification's tables, in its order.
const passport = {
  activity_score: { is: "number" },
  identity_score: { is: "number" },
  skills_score: { is: "number" },
  score: nullable("number"),
  calculating_score: { is: "boolean" },
  connections_count: { is: "integer" },
  human_checkmark: { is: "boolean" },
  last_calculated_at: nullable("date-time"),
  main_wallet: nullable("string"),
  passport_id: { is: "integer" },
  passport_profile: { is: "object" },
  verified_wallets: { is: "strings" },
} satisfies Shape;

export const SHAPES = {
  list: { passports: { is: "objects" }, pagination: { is: "object" } },
  single: { passport: { is: "object" } },
  credentials: { passport_credentials: { is: "objects" } },
  pagination: { current_page: { is: "integer" }, last_page: { is: "integer" }, total: { is: "integer" } },
  passport,
  detail: { ...passport, merged: { is: "boolean" }, passport_socials: { is: "objects" } },
  profile: {
    bio: nullable("string"),
    display_name: nullable("string"),
    location: nullable("string"),
    tags: { is: "strings" },
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
    source: { is: "string" },
  },
  credential: {
    id: { is: "string" },
    earned_at: nullable("string"),
    category: { is: "string" },
    last_calculated_at: nullable("date-time"),
    max_score: { is: "number" },
    score: { is: "number" },
    name: { is: "string" },
    type: { is: "string" },
    value: nullable("string"),
  },
} satisfies Record<string, Shape>;

export type Json = Record<string, unknown>;

/** The specified fields that an object lacks. */
export function missingFields(value: Json, shape: Shape): string | null {
  const missing = Object.keys(shape).filter((name) => !(name in value));
  return missing.length === 0 ? null : `${missing.join(", ")} missing`;
}

/** The fields that an object has beyond the specified ones. */
export function extraFields(value: Json, shape: Shape): string | null {
  const extra = Object.keys(value).filter((name) => !(name in shape));
  return extra.length === 0 ? null : `${extra.join(", ")} added`;
}

/** The first field of another type than the shape's; null is let through, as the specification does not forbid it. */
export function wrongType(value: Json, shape: Shape): string | null {
  for (const [name, { is }] of Object.entries(shape)) {
    const held = value[name];
    if (held === null || held === undefined) continue;
    if (!TYPES[is](held)) return `${name} is ${JSON.stringify(held)?.slice(0, 60)}, not ${is}`;
  }
  return null;
}

/** The first field that is null and must not be. */
export function wrongNull(value: Json, shape: Shape): string | null {
  const found = Object.entries(shape).find(([name, field]) => value[name] === null && !field.nullable);
  return found === undefined ? null : `${found[0]} is null`;
}

/** Whether an object's fields stand in the order of the shape. */
export function inOrder(value: Json, shape: Shape): boolean {
  return Object.keys(value).join() === Object.keys(shape).join();
}
