/** What the database holds about people, as docs/PRIVACY.md lists it. */
export type StoredData = {
  data: string;
  /** Empty if it is outside the database. `standing_…` are the tables of each epoch. */
  tables: readonly string[];
  /** Where it is, if that is not a table. */
  place?: string;
  purpose: string;
  visibleTo: string;
  /** What an erasure does with the rows of a person. */
  erasure: "deleted" | { partly: string } | { kept: string };
};

// A test compares this list with the schema and with what an erasure leaves: a table with a passport
// number, a wallet or a text is named here or below, and is emptied as it says.
// biome-ignore format: a table
export const STORED_DATA: readonly StoredData[] = [
  {
    data: "scores, profile, wallets, socials, credentials",
    tables: ["person", "person_wallet"],
    purpose: "the content of V1",
    visibleTo: "the role that owns the tables",
    erasure: "deleted",
  },
  {
    data: "the same as ready responses",
    tables: ["passport_document", "credential_document", "wallet_owner"],
    purpose: "serving V1",
    visibleTo: "everybody, through V1, unless the person is hidden; the serving role",
    erasure: "deleted",
  },
  {
    data: "entries of the list, with folded names",
    tables: ["standing_…"],
    purpose: "the same",
    visibleTo: "the same",
    erasure: { partly: "deleted, but for the folded name, which the next build of the list deletes" },
  },
  {
    data: "ids that left the list since it was built",
    tables: ["standing_correction"],
    purpose: "so that a build that has begun leaves them out",
    visibleTo: "the role that owns the tables; deleted by the next build",
    erasure: { kept: "the id is added, and deleted by the next build" },
  },
  {
    data: "decisions of operators and holders about people and keys: action, time, passport number, database role, request",
    tables: ["decision", "decision_end"],
    purpose: "what is shown follows from it; so that no import and no restored backup undoes it; accountability",
    visibleTo: "the role that owns the tables; stored as long as the database",
    erasure: { kept: "the passport number stays; the erasure adds a row" },
  },
  {
    data: "of erased people: their wallets as keyed hashes",
    tables: ["decision_wallet"],
    purpose: "to keep the wallets of erased people out of other records",
    visibleTo: "the role that owns the tables",
    erasure: { kept: "written by it" },
  },
  {
    data: "file of decisions: the content of the two rows above",
    tables: [],
    place: "outside the database: `DECISIONS_FILE`, where you copy it, and without keys in each snapshot of `credence export`",
    purpose: "so that a restored backup shows nobody who was hidden or erased after it",
    visibleTo: "the owner of the file, and the operator who restores it. Each new file replaces the last one",
    erasure: { kept: "the next file has the erasure" },
  },
  {
    data: "requests of holders: the signed text, signature, wallet, state, passport numbers, hash of the code of its page",
    tables: ["holder_request"],
    purpose: "to carry them out, and to prove that the holder asked for it",
    visibleTo: "the role that owns the tables; the serving role sees state and wallet of a request whose code it knows. Deleted 90 days after completion; after a day if it was about no record, and all but the last ten of a wallet",
    erasure: { partly: "wallets, texts and signatures are deleted, except those of the request that asked for it; the state stays readable" },
  },
  {
    data: "API keys as hashes, with label and contact",
    tables: ["api_key"],
    purpose: "authentication",
    visibleTo: "the role that owns the tables; the serving role sees the hashes",
    erasure: { kept: "not about holders" },
  },
  {
    data: "requests by day, client (a key's id, `anonymous` or `unknown key`), endpoint and status, with the time of the last one",
    tables: ["usage_count"],
    purpose: "to know who still uses V1, and to reach them before it ends",
    visibleTo: "the role that owns the tables; stored for `USAGE_RETENTION`, 400 days by default",
    erasure: { kept: "names no holder" },
  },
  {
    data: "of requests without a valid key, by day: the 50 most frequent user agents and origins, the 100 most frequent unknown keys as SHA-256; of all requests, the 50 most frequent names of query parameters that V1 does not have (of a filter such as `filter[name]` the first word only) and paths, as known words and `*`, and the ids of clients that send their key in the URL",
    tables: ["usage_mark"],
    purpose: "the same",
    visibleTo: "the same. Up to 500 of each for the last three days",
    erasure: { kept: "names no holder" },
  },
];

/** Tables that have numbers or texts, but none of a person. */
export const WITHOUT_PEOPLE: Readonly<Record<string, string>> = {
  people_change: "counters",
  schema_migration: "names of migrations",
  standing: "always empty: the pattern of the tables of an epoch",
  standing_names: "the same",
  standing_keywords: "the same",
  standing_epoch: "figures about the list as a whole",
  usage_batch: "numbers of batches",
};
