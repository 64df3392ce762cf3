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
    tables: ["passport", "passport_wallet", "social", "credential"],
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
    data: "opt-outs: an id, wallets as keyed hashes",
    tables: ["opt_out", "opt_out_wallet"],
    purpose: "to keep erased people out of later imports",
    visibleTo: "the role that owns the tables",
    erasure: { kept: "written by it: the tombstone" },
  },
  {
    data: "requests of holders: the signed text, signature, wallet, state, hashes of code and secret",
    tables: ["holder_request"],
    purpose: "to carry them out, and to prove that the holder asked for it",
    visibleTo: "the role that owns the tables; the serving role sees the state of a request whose code it knows. Deleted 90 days after completion, and all but the last ten of a wallet after a day",
    erasure: { partly: "wallets, texts and signatures are deleted, except those of the request that asked for it; the state stays readable" },
  },
  {
    data: "requests with a wallet that the record does not list, or without a valid signature: as above until a worker has looked at them, usually for seconds; then a hash of the code, the passport number, the action, the reason and the time",
    tables: ["holder_request"],
    purpose: "so that the sender can read why",
    visibleTo: "the same. Deleted after 24 hours, or when there are more than 100,000",
    erasure: { partly: "the same" },
  },
  {
    data: "data prepared for a holder who asked to see it",
    tables: ["holder_export"],
    purpose: "access",
    visibleTo: "clients with the code and the secret; deleted after 24 hours",
    erasure: "deleted",
  },
  {
    data: "ids of people hidden by their own signature",
    tables: ["holder_hide"],
    purpose: "so that they can revert it",
    visibleTo: "the role that owns the tables",
    erasure: "deleted",
  },
  {
    data: "the last hide or show of a person: id, time",
    tables: ["visibility_change"],
    purpose: "so that a restored backup shows nobody who hid after it",
    visibleTo: "the role that owns the tables",
    erasure: "deleted",
  },
  {
    data: "ids from a file of protections, or of hidden people whose record was deleted because of a shared wallet: people to hide when they arrive",
    tables: ["kept_hide"],
    purpose: "so that nobody who hid is shown by a restored backup or by an import",
    visibleTo: "the role that owns the tables; until the person arrives, or opts out",
    erasure: { kept: "has only people who are not stored" },
  },
  {
    data: "ids from a file of protections: people who asked to be erased and whose request is lost",
    tables: ["unsigned_erasure"],
    purpose: "the same",
    visibleTo: "the role that owns the tables; until the person is shown or erased",
    erasure: "deleted",
  },
  {
    data: "ids from a file of protections: people who were shown after the backup, and are hidden here",
    tables: ["shown_after_backup"],
    purpose: "so that the operator decides on them",
    visibleTo: "the role that owns the tables; until the person is shown, hidden or erased",
    erasure: "deleted",
  },
  {
    data: "file of protections: opt-outs, ids of people who were hidden or shown, with the time, requests to erase, ids of keys",
    tables: [],
    place: "outside the database: `PROTECTIONS_FILE`, and where you copy it",
    purpose: "the same",
    visibleTo: "who can read the file: its owner, and whoever restores. Each new file replaces the last one; keep copies no longer than the backups they belong to",
    erasure: { kept: "the next file has the tombstone" },
  },
  {
    data: "actions on single people, of operators and by requests: time, action, id, database role, request",
    tables: ["audit"],
    purpose: "accountability",
    visibleTo: "the role that owns the tables; stored until you delete it",
    erasure: { kept: "the ids stay; the erasure adds a row" },
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
  holder_settings: "settings of servers and workers",
  opt_out_key: "fingerprints of keys",
  people_change: "counters",
  protection_change: "a counter",
  schema_migration: "names of migrations",
  standing: "always empty: the pattern of the tables of an epoch",
  standing_names: "the same",
  standing_keywords: "the same",
  standing_epoch: "figures about the list as a whole",
  usage_batch: "numbers of batches",
};

/** Tables whose rows an erasure deletes or changes. The tables of epochs have other names in each database. */
export const TABLES_OF_PEOPLE: readonly string[] = [
  ...new Set(
    STORED_DATA.filter(({ erasure }) => erasure === "deleted" || "partly" in erasure).flatMap(({ tables }) => tables),
  ),
].filter((table) => table !== "standing_…");
