/** The type of a field that a client needs. `some`: a list that is not empty. */
export type FieldType = "number" | "text" | "text or null" | "list" | "some" | "defined";

/**
 * What a client does with a response that is not ok.
 * - `none`: takes every failure for "no passport", a score of 0 or an empty list. Nothing can help it.
 * - `404 is none`: takes a 404 for "no passport"; any other failure is an error.
 * - `sentence is none`: takes a 404 with V1's exact sentence for "no passport"; anything else is an error.
 * - `found`: takes every failure for a person who exists. Nothing can help it.
 * - `error`: stops with an error, or shows one.
 * - `reads on`: does not look at the status, and fails at a field that is missing.
 */
export type OnFailure = "none" | "404 is none" | "sentence is none" | "found" | "error" | "reads on";

/** What a client concludes. `misled`: it goes on with something else than it asked for. */
export type Conclusion = "works" | "no passport" | "error" | "misled";

/** When a client gets what it needs: as it is, with V1 also at /api/v2, or never. */
export type Works = "as is" | "with the prefix" | "never";

type Kind = { works: Works; does: string };

/** What clients do, in the order of the table in docs/COMPATIBILITY.md. */
export const KINDS = {
  lookUpAtV1: { works: "as is", does: "look up a wallet at `/api/v1` and read the score" },
  nobodyAtV1: { works: "as is", does: "take a person without a passport for a score of 0" },
  credentialsAtV1: { works: "as is", does: "read credentials at `/api/v1`, also without an id" },
  pagesAtV1: { works: "as is", does: "page through the list at `/api/v1`, with `id` beside `page`" },
  lookUp: { works: "with the prefix", does: "look up a wallet or an id at `/api/v2`, and read documented fields" },
  sentence: { works: "with the prefix", does: "compare the sentence of a 404 at `/api/v2`" },
  credentials: { works: "with the prefix", does: "read credentials at `/api/v2`, by id or by wallet" },
  pages: { works: "with the prefix", does: "search or page through the list at `/api/v2`" },
  verified: { works: "never", does: "check that `verified` is there, and stop without it" },
  picture: { works: "never", does: "show `passport_profile.image_url`" },
  secondName: { works: "never", does: "show `passport_profile.name`" },
  credentialsInside: { works: "never", does: "read credentials inside or beside a passport" },
  user: { works: "never", does: "read `user`, which contained e-mail addresses" },
  counts: { works: "never", does: "want `follower_count` to be a number; one also `main_wallet_changed_at`" },
  filters: { works: "never", does: "filter the list with parameters that were never documented" },
  idOfCredentials: { works: "never", does: "send `id` instead of `passport_id` to credentials" },
  limit: { works: "never", does: "ask for an order and a size of the list that were never documented" },
  names: { works: "never", does: "look up a name such as `somebody.eth`" },
  otherPaths: { works: "never", does: "call endpoints that V1 does not have" },
  post: { works: "never", does: "send POST" },
} as const satisfies Record<string, Kind>;

export type OldClient = {
  number: number;
  kind: keyof typeof KINDS;
  onFailure: OnFailure;
  /** `{wallet}`, `{second}`, `{nobody}` and `{name}` are replaced. */
  targets: readonly string[];
  method?: "POST";
  /** The client uses the first response that is ok. Otherwise it needs all of them. */
  triesInOrder?: true;
  headers?: Readonly<Record<string, string>>;
  /** The fields that it reads, by their path in the body. */
  reads?: Readonly<Record<string, FieldType>>;
  /** What a field must be; for other needs than its type. */
  expects?: Readonly<Record<string, (value: unknown) => boolean>>;
  /** What it concludes from an ok response without these fields. The default depends on `onFailure`. */
  onMissing?: Conclusion;
  /** It asks for a person that does not exist, and must learn that. */
  isNobody?: true;
  /** It sends an id of another service. As a passport id, the same number belongs to another person. */
  sendsForeignId?: true;
};

export const worksOf = ({ kind }: OldClient): Works => KINDS[kind].works;
