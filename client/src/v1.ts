// Written by `npm run client-types` from contract/openapi.json. Do not edit.

/** A person's reputation record in the list: scores, profile and wallets. */
export type Passport = {
  /** Points for the person's activity. May be a fraction. */
  activity_score: number;
  /** Points for proofs of the person's identity. May be a fraction. */
  identity_score: number;
  /** Points for the person's skills. May be a fraction. */
  skills_score: number;
  /**
   * The overall score, in points. The list is sorted by it. It is not necessarily the sum of the
   * three scores above. Null when there is none.
   */
  score: number | null;
  /**
   * As imported: true if a new score was being calculated then. The list shows the value as of its
   * snapshot.
   */
  calculating_score: boolean;
  /** The number of the person's connections to other people. */
  connections_count: number;
  /** True when the person has passed a proof-of-humanity check. */
  human_checkmark: boolean;
  /** When the scores were last calculated, in UTC with milliseconds. Null when unknown. */
  last_calculated_at: string | null;
  /**
   * The address of the person's main wallet, at most 256 characters. EVM and bech32 addresses are
   * in lower case; base58 addresses keep their case. Null when there is none.
   */
  main_wallet: string | null;
  /** The number of the passport. Unique. */
  passport_id: number;
  passport_profile: PassportProfile;
  /**
   * The addresses of the wallets whose ownership the person has proved. Empty when there are none.
   */
  verified_wallets: string[];
};

/** A person's reputation record: the fields of `Passport`, then `merged` and `passport_socials`. */
export type PassportDetail = {
  /** Points for the person's activity. May be a fraction. */
  activity_score: number;
  /** Points for proofs of the person's identity. May be a fraction. */
  identity_score: number;
  /** Points for the person's skills. May be a fraction. */
  skills_score: number;
  /**
   * The overall score, in points. The list is sorted by it. It is not necessarily the sum of the
   * three scores above. Null when there is none.
   */
  score: number | null;
  /**
   * As imported: true if a new score was being calculated then. The list shows the value as of its
   * snapshot.
   */
  calculating_score: boolean;
  /** The number of the person's connections to other people. */
  connections_count: number;
  /** True when the person has passed a proof-of-humanity check. */
  human_checkmark: boolean;
  /** When the scores were last calculated, in UTC with milliseconds. Null when unknown. */
  last_calculated_at: string | null;
  /**
   * The address of the person's main wallet, at most 256 characters. EVM and bech32 addresses are
   * in lower case; base58 addresses keep their case. Null when there is none.
   */
  main_wallet: string | null;
  /** The number of the passport. Unique. */
  passport_id: number;
  passport_profile: PassportProfile;
  /**
   * The addresses of the wallets whose ownership the person has proved. Empty when there are none.
   */
  verified_wallets: string[];
  /**
   * True when the passport was merged into another one. It is not in the list, and can still be
   * requested by its own `passport_id`. A wallet that another passport lists too finds that one.
   */
  merged: boolean;
  /** The person's profiles on social networks. Empty when there are none. */
  passport_socials: PassportSocial[];
};

/** The person's own profile. Never null. */
export type PassportProfile = {
  /**
   * The person's description of themselves. Plain text, possibly several lines; null when there is
   * none.
   */
  bio: string | null;
  /**
   * The person's display name, at most 1,000 characters. `keyword` searches it. Names are not
   * unique.
   */
  display_name: string | null;
  /** The person's stated location. Free text, not a code; null when unknown. */
  location: string | null;
  /** Labels such as roles and interests. Empty when there are none. */
  tags: string[];
};

/** A profile of the person on a social network. Every field but `source` may be null. */
export type PassportSocial = {
  /**
   * The number of accounts that follow the profile. A string, normally of decimal digits. Null when
   * unknown.
   */
  follower_count: string | null;
  /**
   * The number of accounts that the profile follows. A string, normally of decimal digits. Null
   * when unknown.
   */
  following_count: string | null;
  /** The profile's stated location. Free text. */
  location: string | null;
  /** The profile's description. Plain text. */
  profile_bio: string | null;
  /** The profile's display name. */
  profile_display_name: string | null;
  /**
   * The URL of the profile's picture, on another server. It is sent as imported: validate it before
   * you load it.
   */
  profile_image_url: string | null;
  /** The account name on the network. */
  profile_name: string | null;
  /** The URL of the profile. It is sent as imported: validate it before you link to it. */
  profile_url: string | null;
  /** The social network of the profile. The set of values is open. */
  source: string;
};

/** The position of the page in the list. */
export type Pagination = {
  /** The requested page, even when it is past the end. */
  current_page: number;
  /** The last page that can be requested; 1 when no passport matches. */
  last_page: number;
  /** The number of matching passports, exact also beyond 10,000. */
  total: number;
};

/** A scored item of a passport, in a category. */
export type Credential = {
  /** Identifies the credential. Unique within one passport; at most 256 characters. */
  id: string;
  /**
   * When the credential was earned, as the text that was imported; normally a date-time. Null when
   * not earned.
   */
  earned_at: string | null;
  /** The component of the score that the credential counts towards. The set of values is open. */
  category: string;
  /** When the points were last calculated, in UTC with milliseconds. Null when unknown. */
  last_calculated_at: string | null;
  /** The normal maximum of `score`. May be a fraction; `score` may exceed it. */
  max_score: number;
  /** The points of the credential. May be 0, and may be a fraction. */
  score: number;
  /** The display name of the credential. */
  name: string;
  /** The kind of credential. About 60 values; the set is open. */
  type: string;
  /**
   * The measured value with its unit, as display text. Do not parse it. Null when there is no
   * value.
   */
  value: string | null;
};

/** One page of the list. */
export type PassportList = {
  /** The passports of this page, at most `per_page`, in list order. */
  passports: Passport[];
  pagination: Pagination;
};

/** One passport. */
export type SinglePassport = {
  passport: PassportDetail;
};

/** The credentials of one passport. */
export type PassportCredentials = {
  /**
   * All credentials of the passport, including those with 0 points. Empty when no passport matches.
   */
  passport_credentials: Credential[];
};

/** The status of every error of V1, by its code. The set of codes is closed. */
export const STATUSES = {
  bad_request: 400,
  unknown_filter: 400,
  unauthorized: 401,
  not_found: 404,
  unknown_path: 404,
  method_not_allowed: 405,
  gone: 410,
  brownout: 410,
  uri_too_long: 414,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUSES;
