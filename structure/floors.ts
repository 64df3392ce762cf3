/**
 * The floor plan: which folder may import what. `npm run structure` writes the linter's rules and
 * ARCHITECTURE.md from it.
 */
export type Floor = readonly [folder: string, mayImport: string, packages: string];

// From the ground up: a folder stands below all that import it. `store/*` is every folder in
// `store`. A folder may always import itself and, except for the client, Node. All of service/src
// may use config.ts, config-values.ts and version.ts. README.md in each folder says what belongs there.
// biome-ignore format: a table
export const FLOORS: readonly Floor[] = [
  ["contract",              "",                                                                "typebox"],
  ["explorer",              "contract",                                                        ""],
  ["conformance",           "",                                                                "commander"],
  ["client",                "",                                                                ""],
  ["bench",                 "",                                                                "commander fastify pg"],
  ["identity",              "",                                                                ""],
  ["wallet-proof",             "identity",                                                        "@noble/curves @noble/hashes @scure/base"],
  ["search",                "",                                                                ""],
  ["life-cycle",            "",                                                                ""],
  ["present",               "contract",                                                        ""],
  ["scoring",               "contract",                                                        ""],
  ["invent",                "contract",                                                        ""],
  ["snapshot",              "contract",                                                        "typebox"],
  ["collect",               "contract identity present snapshot",                              ""],
  ["store/engine",          "",                                                                "pg pg-copy-streams node-pg-migrate"],
  ["store/people",          "contract store/engine",                                           "pg"],
  ["store/standing",        "search store/engine",                                             ""],
  ["store/scores",          "store/engine",                                                    ""],
  ["store/privacy",         "contract store/engine store/standing",                            ""],
  ["store/holder-requests", "wallet-proof store/engine",                                          ""],
  ["store/protections",     "store/engine",                                                    ""],
  ["store/access",          "store/engine store/standing",                                     "pg"],
  ["store/usage",           "store/engine",                                                    ""],
  ["store/serving",         "store/engine",                                                    "pg"],
  ["operations/people",     "contract identity present store/*",                               ""],
  ["operations/documents",  "contract identity present store/* operations/people",             ""],
  ["operations/standing",   "search store/*",                                                  ""],
  ["operations/scores",     "scoring store/* operations/people operations/documents",          ""],
  ["operations/write",      "contract identity present scoring store/* operations/people operations/documents operations/standing operations/scores", ""],
  ["operations/privacy",    "contract identity snapshot store/* operations/people operations/documents operations/standing operations/scores operations/write", ""],
  ["operations/import",     "contract identity present scoring snapshot store/* operations/people operations/scores operations/write operations/privacy", ""],
  ["operations/export",     "contract present snapshot store/* operations/people",             ""],
  ["operations/holder-requests", "wallet-proof store/* operations/people operations/scores operations/write operations/privacy operations/export", ""],
  ["operations/protections", "snapshot store/* operations/people operations/write operations/privacy operations/holder-requests", ""],
  ["operations/access",     "identity store/*",                                                ""],
  ["operations/diagnosis",  "present snapshot store/* operations/protections", ""],
  ["operations/deployment", "identity operations/diagnosis",                                   ""],
  ["worker",                "snapshot store/* operations/*",                                            ""],
  ["http",                  "contract explorer identity life-cycle wallet-proof store/*",         "fastify pino lru-cache @prometheus-io/client"],
  ["terminal",              "identity snapshot store/engine",                                  "commander"],
  ["process",               "identity life-cycle store/* operations/* worker http terminal", "pino"],
  ["cli/parts",             "contract identity life-cycle snapshot collect store/* operations/* process terminal", "commander"],
  ["cli/commands",          "contract identity life-cycle invent snapshot collect store/* operations/* worker process terminal cli/parts", "commander"],
  ["cli",                   "identity terminal cli/parts cli/commands",                        "commander"],
];

const WORKSPACES: Readonly<Record<string, string>> = {
  contract: "contract",
  explorer: "explorer/src",
  conformance: "conformance/src",
  client: "client/src",
  bench: "bench/src",
};

/** These run in browsers and other runtimes too, so they import no modules of Node. */
export const WITHOUT_NODE: ReadonlySet<string> = new Set(["client"]);

export const isWorkspace = (folder: string): boolean => folder in WORKSPACES;

/** Where a folder of the table is, from the root of the repository. */
export const pathOf = (folder: string): string => WORKSPACES[folder] ?? `service/src/${folder}`;
