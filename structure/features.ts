/**
 * The features of the service, and which may import which. `npm run structure` writes the linter's rules,
 * and the table and picture of ARCHITECTURE.md from it.
 */
export type Feature = {
  /** The folder in service/src. */
  name: string;
  /** What it gives, and to whom. */
  gives: string;
  /**
   * `serve`: all of it runs in the serving process, whose database role reads stored answers. `manage`: all
   * of it runs in workers and commands, whose role owns the tables. `both`: it has folders `serve/` and
   * `manage/`, and the files beside them are used by both. `commands/` needs a terminal.
   */
  side: "serve" | "manage" | "both";
  /** The tables that it owns. */
  tables: string;
  /** Features before it in the table, and packages of this repository, with an @. All may import `core`. */
  mayImport: string;
  packages: string;
};

const feature = (
  ...[name, side, gives, tables, mayImport, packages]: [
    name: string,
    side: Feature["side"],
    gives: string,
    tables: string,
    mayImport: string,
    packages: string,
  ]
): Feature => ({ name, side, gives, tables, mayImport, packages });

/** A feature stands after all that it imports, so there is no circle. */
// biome-ignore format: a table
export const FEATURES: readonly Feature[] = [
  feature("demo", "manage", "operators: invented people, to try and to measure",
    "", "@contract", "commander pg"),
  feature("list", "both", "integrators: the list in order of score, and its search by name",
    "standing_epoch standing standing_names standing_keywords standing_correction people_change lock_standing lock_epochs", "", "commander pg @prometheus-io/client"),
  feature("people", "manage", "all features: the facts about people, the documents made of them, and the one way to write both",
    "person person_wallet passport_document credential_document wallet_owner lock_people", "@contract list", "commander"),
  feature("decisions", "manage", "holders and operators: the ledger of hides, erasures and ended keys, its file, and what follows from it",
    "decision decision_end decision_wallet", "@contract list people", "commander typebox"),
  feature("usage", "both", "operators: who calls V1, and how",
    "usage_count usage_mark usage_batch lock_usage", "@contract", "commander pino @prometheus-io/client"),
  feature("keys", "both", "integrators and operators: API keys",
    "api_key", "decisions usage", "commander pino typebox @prometheus-io/client"),
  feature("life-cycle", "both", "integrators and operators: deprecation, brownouts, rehearsals and the end of V1",
    "", "keys usage", "commander pino @prometheus-io/client"),
  feature("v1", "serve", "integrators: the three endpoints, the checks of a request, and the cache of answers",
    "", "@contract keys life-cycle list", "fastify pino lru-cache @prometheus-io/client"),
  feature("explorer", "serve", "everybody: pages about people, and the API reference",
    "", "@contract @explorer life-cycle list v1", "fastify"),
  feature("snapshots", "manage", "operators: import and export of people as files",
    "", "@contract decisions list people", "commander typebox"),
  feature("collect", "manage", "operators: a snapshot of an old server, or of saved responses",
    "", "@contract decisions people snapshots", "commander"),
  feature("holders", "both", "holders: signed requests to hide, show and erase their record",
    "holder_request", "@contract @explorer decisions explorer people v1", "commander fastify pino @noble/curves @noble/hashes @scure/base @prometheus-io/client"),
  feature("rights", "both", "operators: the rights of the serving role",
    "", "holders keys list usage", "pg pino"),
  feature("doctor", "manage", "operators: checks of an installation and of a deployment",
    "", "decisions demo holders keys life-cycle list people rights usage", "commander"),
];

/** What all features may use. A folder imports only folders before it. */
// biome-ignore format: a table
export const CORE: readonly Feature[] = [
  feature("core/identity", "both", "passport ids, wallets, API keys, folded names", "", "", ""),
  feature("core/database", "both", "connections, transactions, locks, COPY, notices, migrations", "schema_migration", "", "pg pg-copy-streams node-pg-migrate"),
  feature("core/files", "both", "files of lines: compression, manifest, signature", "", "@contract", "typebox"),
  feature("core/config", "both", "settings from the environment, the calendar of V1, the version", "", "", ""),
  feature("core/terminal", "both", "output, progress, questions, exit codes, failures with advice", "", "core/config core/database core/files", "commander"),
  feature("core/process", "both", "log, signals, systemd, clock, schema, the report of a worker", "worker_process", "core/config core/database core/terminal", "pino"),
  feature("core/readers", "both", "how a server reads: pools, queues with limits, replicas", "", "core/database", "pg"),
  feature("core/http", "both", "connections, rate limits, responses, metrics", "", "@contract core/config core/database core/identity core/readers", "fastify pino @prometheus-io/client"),
];

export type Package = { name: string; path: string; gives: string; mayImport: string; packages: string };

const packageOf = (name: string, path: string, gives: string, mayImport: string, packages: string): Package => ({
  name,
  path,
  gives,
  mayImport,
  packages,
});

/** The other packages of this repository. */
// biome-ignore format: a table
export const PACKAGES: readonly Package[] = [
  packageOf("contract", "contract", "V1 as data: schemas, errors, limits, `contract/openapi.json`, golden answers", "", "typebox"),
  packageOf("explorer", "explorer/src", "pure functions from data to pages, and the style sheet", "@contract", ""),
  packageOf("conformance", "conformance/src", "a kit that checks any server against V1 over HTTP", "", "commander"),
  packageOf("client", "client/src", "a typed client for any V1 server and any runtime", "", ""),
  packageOf("bench", "bench/src", "load tests beside the bare engines", "", "commander fastify pg"),
];

export const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");
