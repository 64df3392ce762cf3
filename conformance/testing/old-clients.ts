// What public clients of V1 send, read, and do if a request fails: one entry for each of 36 clients,
// in our own words. About nine of ten call /api/v2, which has the same three endpoints.

/** The type of a field that a client needs. `some`: a list that is not empty. */
export type FieldType = "number" | "text" | "text or null" | "list" | "some" | "defined";

/**
 * What a client does with a response that is not ok.
 * - `none`: takes every failure for "no passport", a score of 0 or an empty list. Nothing can help it.
 * - `404 is none`: takes a 404 for "no passport"; any other failure is an error.
 * - `sentence is none`: takes a 404 with V1's exact sentence for "no passport"; anything else is an error.
 * - `error`: stops with an error, or shows one.
 * - `reads on`: does not look at the status, and fails at a field that is missing.
 */
type OnFailure = "none" | "404 is none" | "sentence is none" | "error" | "reads on";

/** When a client gets what it needs: as it is, with V1 also at /api/v2, with carried fields too, or never. */
type Works = "as is" | "with the prefix" | "with carried fields" | "never";

export type OldClient = {
  number: number;
  /** `{wallet}`, `{second}`, `{nobody}` and `{name}` are replaced. */
  targets: readonly string[];
  /** The client uses the first response that is ok. Otherwise it needs all of them. */
  triesInOrder?: true;
  headers?: Readonly<Record<string, string>>;
  /** The fields that it reads, by their path in the body. */
  reads?: Readonly<Record<string, FieldType>>;
  /** What a field must be; for other needs than its type. */
  expects?: Readonly<Record<string, (value: unknown) => boolean>>;
  /** It asks for a person that does not exist, and must learn that. */
  isNobody?: true;
  onFailure: OnFailure;
  works: Works;
};

const JSON_SENT = { "Content-Type": "application/json" };
const JSON_WANTED = { Accept: "application/json" };
const above = (limit: number) => (value: unknown) => (value as number) > limit;

const V1 = "/api/v1";
const V2 = "/api/v2";

export const OLD_CLIENTS: readonly OldClient[] = [
  {
    ...{ number: 1, targets: [`${V1}/passports/{wallet}`], headers: JSON_SENT, onFailure: "none", works: "as is" },
    expects: { "passport.score": above(0) },
  },
  { number: 2, targets: [`${V1}/passports/{nobody}`], isNobody: true, onFailure: "none", works: "as is" },
  {
    ...{ number: 3, targets: [`${V1}/passports/{wallet}`], headers: JSON_SENT, onFailure: "404 is none" },
    ...{ reads: { "passport.passport_id": "number", "passport.score": "number" }, works: "as is" },
  },
  {
    ...{ number: 4, targets: [`${V2}/passports/{wallet}`, `${V1}/passports/{wallet}`, "/passports/{wallet}"] },
    ...{ triesInOrder: true, headers: JSON_SENT, reads: { "passport.score": "number" } },
    ...{ onFailure: "none", works: "as is" },
  },
  {
    ...{ number: 5, targets: [`${V1}/passport_credentials?passport_id=1`], reads: { passport_credentials: "list" } },
    ...{ onFailure: "none", works: "as is" },
  },
  {
    ...{ number: 6, targets: [`${V1}/passport_credentials`], reads: { passport_credentials: "list" } },
    ...{ onFailure: "none", works: "as is" },
  },
  {
    ...{ number: 7, targets: [`${V1}/passports?id=1&page=2`], onFailure: "none", works: "as is" },
    expects: { "pagination.current_page": (page) => page === 2 },
  },
  {
    ...{ number: 8, targets: [`${V2}/passports/{wallet}`], headers: JSON_WANTED, onFailure: "sentence is none" },
    reads: {
      ...{ "passport.score": "number", "passport.main_wallet": "text", "passport.verified_wallets": "list" },
      // Not a field of V1.
      "passport.verified": "defined",
    },
    works: "with carried fields",
  },
  {
    ...{ number: 9, targets: [`${V2}/passports/{nobody}`], headers: JSON_WANTED, isNobody: true },
    ...{ onFailure: "sentence is none", works: "with the prefix" },
  },
  {
    ...{ number: 10, targets: [`${V2}/passports/{wallet}`], headers: JSON_WANTED, onFailure: "error", works: "never" },
    // The first is not a field of V1. The second is a string in V1.
    reads: {
      "passport.main_wallet_changed_at": "defined",
      "passport.passport_socials.0.follower_count": "number",
      "passport.passport_profile.bio": "text",
    },
  },
  {
    ...{ number: 11, targets: [`${V2}/passports/{wallet}`], onFailure: "none", works: "with carried fields" },
    reads: { "passport.passport_profile.image_url": "defined" },
  },
  {
    ...{ number: 12, targets: [`${V2}/passport_credentials?passport_id=1`], onFailure: "error" },
    reads: {
      ...{ "passport_credentials.0.name": "text", "passport_credentials.0.category": "text" },
      ...{ "passport_credentials.0.id": "text", "passport_credentials.0.score": "number" },
    },
    works: "with the prefix",
  },
  {
    ...{ number: 13, targets: [`${V2}/passport_credentials?passport_id={wallet}`], headers: JSON_WANTED },
    ...{ reads: { passport_credentials: "some" }, onFailure: "error", works: "with the prefix" },
  },
  {
    ...{ number: 14, targets: [`${V2}/passports/{wallet}`], headers: JSON_SENT, onFailure: "404 is none" },
    ...{ reads: { "passport.passport_id": "number" }, works: "with the prefix" },
  },
  {
    ...{ number: 15, targets: [`${V2}/passport_credentials?passport_id={wallet}`], onFailure: "error" },
    reads: { "passport_credentials.0.name": "text", "passport_credentials.0.value": "text or null" },
    works: "with the prefix",
  },
  {
    ...{ number: 16, targets: [`${V2}/passports/{wallet}`, `${V2}/passports/{second}`], onFailure: "error" },
    ...{ reads: { "passport.score": "number" }, works: "with the prefix" },
  },
  {
    ...{ number: 17, targets: [`${V2}/passports/{wallet}`], headers: JSON_SENT, onFailure: "none", works: "never" },
    // Not a field of V1: it contained e-mail addresses.
    reads: { "passport.user.id": "defined" },
  },
  {
    ...{ number: 18, targets: [`${V2}/passports/{wallet}`], onFailure: "404 is none", works: "with the prefix" },
    reads: { "passport.score": "number" },
  },
  {
    ...{ number: 19, targets: [`${V2}/passports/1`], onFailure: "none", works: "with carried fields" },
    reads: { "passport.passport_profile.name": "defined" },
  },
  {
    ...{ number: 20, targets: [`${V2}/passports/1`], onFailure: "reads on", works: "with carried fields" },
    reads: { "passport.passport_profile.name": "defined" },
  },
  {
    ...{ number: 21, targets: [`${V2}/passports/1`], onFailure: "reads on", works: "never" },
    reads: { "passport.user.name": "defined" },
  },
  {
    ...{ number: 22, targets: [`${V2}/passports?keyword={name}`], onFailure: "none", works: "with the prefix" },
    reads: { "passports.0.score": "number", "passports.0.passport_profile.display_name": "text" },
  },
  {
    ...{ number: 23, targets: [`${V2}/passports?keyword={name}&page=1&per_page=10`], headers: JSON_SENT },
    ...{
      reads: { "passports.0.passport_profile.image_url": "defined" },
      onFailure: "error",
      works: "with carried fields",
    },
  },
  {
    // V1's parameter is passport_id. An unknown parameter is ignored, and without an id the list is empty.
    ...{ number: 24, targets: [`${V2}/passport_credentials?id=1`], headers: JSON_SENT, onFailure: "none" },
    ...{ reads: { passport_credentials: "some" }, works: "never" },
  },
  {
    ...{ number: 25, targets: [`${V2}/passports?per_page=10&page=1`], onFailure: "none", works: "with the prefix" },
    ...{ reads: { "passports.9.passport_id": "number" } },
  },
  {
    ...{ number: 26, targets: [`${V2}/passports?page=3`], headers: JSON_SENT, onFailure: "reads on" },
    ...{ expects: { "pagination.current_page": (page) => page === 3 }, works: "with the prefix" },
  },
  {
    ...{ number: 27, targets: [`${V2}/passports?limit=100&sort_by=score`], onFailure: "error", works: "never" },
    reads: { "passports.39.owner_address": "text" },
  },
  {
    // For each person of the list.
    ...{ number: 28, onFailure: "reads on", works: "with the prefix" },
    targets: [`${V2}/passport_credentials?passport_id=1`, `${V2}/passport_credentials?passport_id={wallet}`],
    reads: { "passport_credentials.0.type": "text", "passport_credentials.0.value": "text or null" },
  },
  {
    ...{ number: 29, targets: [`${V2}/passports/2`], headers: JSON_WANTED, onFailure: "none", works: "never" },
    // A string in V1.
    reads: { "passport.passport_socials.0.follower_count": "number" },
  },
  {
    ...{ number: 30, targets: [`${V2}/passports/{wallet}`], onFailure: "none", works: "with the prefix" },
    expects: { "passport.identity_score": above(9) },
  },
  {
    ...{ number: 31, targets: [`${V2}/passports/{wallet}`], onFailure: "none", works: "with the prefix" },
    reads: {
      ...{ "passport.score": "number", "passport.activity_score": "number", "passport.identity_score": "number" },
      ...{ "passport.skills_score": "number", "passport.human_checkmark": "defined", "passport.main_wallet": "text" },
      ...{ "passport.passport_profile.display_name": "text or null" },
    },
  },
  {
    // The number is that of a person at another service.
    ...{ number: 32, targets: [`${V2}/passports/3`], onFailure: "none", works: "with the prefix" },
    reads: { "passport.passport_id": "number" },
  },
  {
    ...{ number: 33, targets: [`${V2}/passports?filter[twitter]={nobody}`], headers: JSON_SENT, onFailure: "error" },
    // V1 has no such filter, and sends the top of the list.
    expects: { passports: (people) => (people as unknown[]).length === 0 },
    works: "never",
  },
  {
    ...{ number: 34, targets: [`${V2}/passports/somebody.eth`], onFailure: "404 is none", works: "never" },
    reads: { "passport.score": "number" },
  },
  // A later version.
  {
    ...{ number: 35, targets: ["/score?id={wallet}"], reads: { "score.points": "number" } },
    ...{ onFailure: "none", works: "never" },
  },
  {
    ...{ number: 36, targets: ["/scores?id={wallet}"], headers: JSON_SENT, reads: { "scores.0.points": "number" } },
    ...{ onFailure: "none", works: "never" },
  },
];
