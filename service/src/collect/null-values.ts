type Fields = Record<string, unknown>;

/** What to do with null where V1 has none. */
export type NullValues = { parts: "reject" | "zero"; lists: "reject" | "empty" };

export const REJECT_NULLS: NullValues = { parts: "reject", lists: "reject" };

const PARTS = ["activity_score", "identity_score", "skills_score"];
const LISTS = ["verified_wallets", "passport_socials"];

/** Replaces null in a passport, in place. `onReplaced` gets the path of each field. */
export function replaceNulls(
  passport: unknown,
  { parts, lists }: NullValues,
  onReplaced: (field: string) => void = () => {},
): void {
  if (!isFields(passport)) return;
  const replace = (fields: unknown, names: readonly string[], path: string, makeValue: () => unknown): void => {
    for (const name of names) {
      if (!isFields(fields) || fields[name] !== null) continue;
      fields[name] = makeValue();
      onReplaced(`${path}.${name}`);
    }
  };
  if (parts === "zero") replace(passport, PARTS, "passport", () => 0);
  if (lists !== "empty") return;
  replace(passport, LISTS, "passport", () => []);
  replace(passport.passport_profile, ["tags"], "passport.passport_profile", () => []);
}

/** The same for credentials. */
export function replaceNullCredentials(
  credentials: unknown,
  { lists }: NullValues,
  onReplaced: (field: string) => void,
): unknown {
  if (credentials !== null || lists === "reject") return credentials;
  onReplaced("credentials");
  return [];
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
