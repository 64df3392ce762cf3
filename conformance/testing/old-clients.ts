import type { OldClient, OnFailure } from "./old-client.ts";

// What public clients of V1 send, read, and do if a request fails: 56 behaviours, each as the requests
// of one client, in our own words. Most call /api/v2, which has the same three endpoints.

type Fields = Omit<OldClient, "number" | "kind" | "onFailure" | "targets">;

const client = (
  number: number,
  kind: OldClient["kind"],
  onFailure: OnFailure,
  targets: readonly string[],
  fields: Fields = {},
): OldClient => ({ number, kind, onFailure, targets, ...fields });

const JSON_SENT = { "Content-Type": "application/json" };
const JSON_WANTED = { Accept: "application/json" };
const above = (limit: number) => (value: unknown) => (value as number) > limit;
const isPage = (page: number) => (value: unknown) => value === page;

const V1 = "/api/v1";
const V2 = "/api/v2";
const AT_V1 = [`${V1}/passports/{wallet}`];
const AT_V2 = [`${V2}/passports/{wallet}`];

export const OLD_CLIENTS: readonly OldClient[] = [
  client(1, "lookUpAtV1", "none", AT_V1, { headers: JSON_SENT, expects: { "passport.score": above(0) } }),
  client(2, "nobodyAtV1", "none", [`${V1}/passports/{nobody}`], { isNobody: true }),
  client(3, "lookUpAtV1", "404 is none", AT_V1, {
    headers: JSON_SENT,
    reads: { "passport.passport_id": "number", "passport.score": "number" },
  }),
  client(4, "credentialsInside", "none", [...AT_V2, ...AT_V1, "/passports/{wallet}"], {
    ...{ triesInOrder: true, headers: JSON_SENT, reads: { "passport.passport_credentials": "list" } },
  }),
  client(5, "credentialsAtV1", "none", [`${V1}/passport_credentials?passport_id=1`], {
    reads: { passport_credentials: "list" },
  }),
  client(6, "credentialsAtV1", "none", [`${V1}/passport_credentials`], { reads: { passport_credentials: "list" } }),
  client(7, "pagesAtV1", "none", [`${V1}/passports?id=1&page=2`], {
    expects: { "pagination.current_page": isPage(2) },
  }),
  client(8, "verified", "sentence is none", AT_V2, {
    headers: JSON_WANTED,
    reads: {
      ...{ "passport.score": "number", "passport.main_wallet": "text", "passport.verified_wallets": "list" },
      // Not a field of V1.
      "passport.verified": "defined",
    },
  }),
  client(9, "sentence", "sentence is none", [`${V2}/passports/{nobody}`], { headers: JSON_WANTED, isNobody: true }),
  client(10, "counts", "error", AT_V2, {
    headers: JSON_WANTED,
    // The first is not a field of V1. The second is a string in V1.
    reads: {
      "passport.main_wallet_changed_at": "defined",
      "passport.passport_socials.0.follower_count": "number",
      "passport.passport_profile.bio": "text",
    },
  }),
  client(11, "picture", "none", AT_V2, { reads: { "passport.passport_profile.image_url": "defined" } }),
  client(12, "credentials", "error", [`${V2}/passport_credentials?passport_id=1`], {
    reads: {
      ...{ "passport_credentials.0.name": "text", "passport_credentials.0.category": "text" },
      ...{ "passport_credentials.0.id": "text", "passport_credentials.0.score": "number" },
    },
  }),
  client(13, "credentials", "error", [`${V2}/passport_credentials?passport_id={wallet}`], {
    headers: JSON_WANTED,
    reads: { passport_credentials: "some" },
  }),
  client(14, "lookUp", "404 is none", AT_V2, { headers: JSON_SENT, reads: { "passport.passport_id": "number" } }),
  client(15, "credentials", "error", [`${V2}/passport_credentials?passport_id={wallet}`], {
    reads: { "passport_credentials.0.name": "text", "passport_credentials.0.value": "text or null" },
  }),
  client(16, "lookUp", "error", [...AT_V2, `${V2}/passports/{second}`], { reads: { "passport.score": "number" } }),
  // Not a field of V1: it contained e-mail addresses.
  client(17, "user", "none", AT_V2, { headers: JSON_SENT, reads: { "passport.user.id": "defined" } }),
  client(18, "lookUp", "404 is none", AT_V2, { reads: { "passport.score": "number" } }),
  client(19, "secondName", "none", [`${V2}/passports/1`], { reads: { "passport.passport_profile.name": "defined" } }),
  client(20, "secondName", "reads on", [`${V2}/passports/1`], {
    reads: { "passport.passport_profile.name": "defined" },
  }),
  client(21, "user", "reads on", [`${V2}/passports/1`], { reads: { "passport.user.name": "defined" } }),
  client(22, "pages", "none", [`${V2}/passports?keyword={name}`], {
    reads: { "passports.0.score": "number", "passports.0.passport_profile.display_name": "text" },
  }),
  client(23, "picture", "error", [`${V2}/passports?keyword={name}&page=1&per_page=10`], {
    headers: JSON_SENT,
    reads: { "passports.0.passport_profile.image_url": "defined" },
  }),
  // V1's parameter is passport_id. Without one, the list is empty.
  client(24, "idOfCredentials", "none", [`${V2}/passport_credentials?id=1`], {
    headers: JSON_SENT,
    reads: { passport_credentials: "some" },
  }),
  client(25, "pages", "none", [`${V2}/passports?per_page=10&page=1`], {
    reads: { "passports.9.passport_id": "number" },
  }),
  client(26, "pages", "reads on", [`${V2}/passports?page=3`], {
    headers: JSON_SENT,
    expects: { "pagination.current_page": isPage(3) },
  }),
  // An unknown order or size is ignored, so there is no 40th person. owner_address never existed.
  client(27, "limit", "error", [`${V2}/passports?limit=100&sort_by=score`], {
    reads: { "passports.39.owner_address": "text" },
  }),
  // For each person of the list.
  client(
    ...([28, "credentials", "reads on"] as const),
    [`${V2}/passport_credentials?passport_id=1`, `${V2}/passport_credentials?passport_id={wallet}`],
    { reads: { "passport_credentials.0.type": "text", "passport_credentials.0.value": "text or null" } },
  ),
  // A string in V1.
  client(29, "counts", "none", [`${V2}/passports/2`], {
    headers: JSON_WANTED,
    reads: { "passport.passport_socials.0.follower_count": "number" },
  }),
  client(30, "lookUp", "none", AT_V2, { expects: { "passport.identity_score": above(9) } }),
  client(31, "lookUp", "none", AT_V2, {
    reads: {
      ...{ "passport.score": "number", "passport.activity_score": "number", "passport.identity_score": "number" },
      ...{ "passport.skills_score": "number", "passport.human_checkmark": "defined", "passport.main_wallet": "text" },
      ...{ "passport.passport_profile.display_name": "text or null" },
    },
  }),
  client(32, "lookUp", "none", [`${V2}/passports/3`], {
    reads: { "passport.passport_id": "number" },
    sendsForeignId: true,
  }),
  // It wants an empty list for an account that nobody has. Ignored, the filter gives the top of the list.
  client(33, "filters", "error", [`${V2}/passports?filter[twitter]={nobody}`], {
    headers: JSON_SENT,
    expects: { passports: (people) => (people as unknown[]).length === 0 },
  }),
  client(34, "names", "404 is none", [`${V2}/passports/somebody.eth`], { reads: { "passport.score": "number" } }),
  // A later version.
  client(35, "otherPaths", "none", ["/score?id={wallet}"], { reads: { "score.points": "number" } }),
  client(36, "otherPaths", "none", ["/scores?id={wallet}"], {
    headers: JSON_SENT,
    reads: { "scores.0.points": "number" },
  }),
  // It stores the highest score of the list: an account belongs to one person.
  client(37, "filters", "none", [`${V2}/passports?passport_socials=farcaster:3`], {
    headers: JSON_WANTED,
    expects: { passports: (people) => (people as unknown[]).length <= 1 },
  }),
  // A browser extension: the first person is shown as the profile that is looked at.
  client(38, "filters", "error", [`${V2}/passports?filter[twitter]={nobody}`], {
    headers: JSON_SENT,
    expects: { passports: (people) => (people as unknown[]).length === 0 },
  }),
  client(39, "filters", "error", [`${V2}/passports?score_gte=80&verified=true&sort=score&order=desc`], {
    expects: { passports: (people) => (people as { score: number }[]).every(({ score }) => score >= 80) },
  }),
  client(40, "otherPaths", "404 is none", [`${V2}/passports/1/credentials`], { reads: { credentials: "list" } }),
  // The passport says that the person is human, and then a 404 that the person is not.
  client(41, "otherPaths", "404 is none", [...AT_V2, `${V2}/human_checkmark?id={wallet}`], {
    reads: { human_checkmark: "defined" },
  }),
  client(42, "otherPaths", "404 is none", [`${V1}/talents/{wallet}`], { reads: { "talent.username": "text" } }),
  client(
    ...([43, "otherPaths", "none"] as const),
    [
      ...[`${V2}/data_points?id={wallet}`, `${V1}/profiles/{wallet}`, "/credentials?id={wallet}"],
      ...["/profile?id={wallet}", "/socials?id={wallet}"],
    ],
    // Of each its own.
    { reads: { data: "defined" } },
  ),
  // It throws at the missing list, and what catches that returns null.
  client(44, "credentialsInside", "none", AT_V2, {
    reads: { "passport.credentials": "list" },
    onMissing: "no passport",
  }),
  // Badges or points, silently none: `passport.credentials || []`, or `credentials` beside the passport.
  client(45, "credentialsInside", "error", AT_V2, { reads: { "passport.credentials": "list" }, onMissing: "misled" }),
  client(46, "user", "reads on", AT_V2, { reads: { "passport.user.name": "defined" } }),
  client(47, "lookUp", "error", [`${V2}/passports/{wallet}/`], {
    headers: { Authorization: "Bearer of-the-old-server" },
    reads: { "passport.score": "number" },
  }),
  // A base URL with a slash at its end, and a path with one at its start.
  client(48, "lookUp", "error", [`/${V2}/passports/{wallet}`], { reads: { "passport.score": "number" } }),
  client(49, "pages", "error", [`${V2}/passports?per_page=40&page=1`, `${V2}/passports?per_page=40&page=2`], {
    reads: { "passports.24.passport_id": "number", "pagination.last_page": "number" },
  }),
  client(50, "lookUp", "404 is none", AT_V2, { reads: { "passport.score": "number" } }),
  // It shows error.message, which is undefined.
  client(51, "lookUp", "error", AT_V2, { reads: { "passport.passport_id": "number" } }),
  client(52, "lookUp", "reads on", AT_V2, { reads: { "passport.score": "number" } }),
  client(53, "idOfCredentials", "none", [`${V2}/passport_credentials?id=1`], {
    headers: JSON_SENT,
    expects: {
      passport_credentials: (credentials) =>
        (credentials as { type: string }[]).some(({ type }) => type === "PassportCredentials::Worldcoin"),
    },
  }),
  // Its own proxy sends every request as POST.
  client(54, "post", "error", AT_V2, { method: "POST", reads: { "passport.score": "number" } }),
  // It takes the score for one of 0 to 100.
  client(55, "lookUp", "error", AT_V2, { reads: { "passport.score": "number" } }),
  // It treats only a 410 in another way, and every other failure as a person with a passport.
  client(56, "lookUp", "found", AT_V2, { reads: { "passport.score": "number" } }),
];
