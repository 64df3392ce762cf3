/**
 * `shows`: what a success means. `found`: faults that it found, or why no smaller test can find them.
 * `figure`: which value of the result says it in one number. `ciSeconds`: CPU time of its test in CI,
 * without PostgreSQL and browsers; null: run by hand only. `small` is the size for a quick run; a fiftieth unless stated.
 */
type Proof = {
  /** The feature of the service that it is about; `core` or `app` for what all of them need. */
  feature: string;
  size: number;
  unit?: string;
  small?: number;
  ciSeconds: number | null;
  prove: (size: number) => Promise<unknown>;
  shows: string;
  found: string;
  figure: string;
};

/**
 * CI runs those that guard a promise which no smaller test guards. Only the proof that runs is loaded.
 */
// biome-ignore format: a table
export const PROOFS: Record<string, Proof> = {
  abuse: { feature: "core", size: 1, small: 0.02, unit: "factor", figure: "not_met", ciSeconds: 7,
    shows: "Through nginx, a good client is served during every attack of the table.",
    found: "Unread and pipelined requests stopped the node for ten seconds; nginx accepted 4 MB for each reader.",
    prove: async (size) => (await import("./abuse.ts")).proveAbuse(size, process.argv.slice(4)) },
  cluster: { feature: "app", size: 20_000, small: 500, figure: "not_met", ciSeconds: null,
    shows: "Two nodes and three PostgreSQL survive 28 faults without a failed read.",
    found: "The figures of docs/RELIABILITY.md. Smaller tests break one part, without a cluster.",
    prove: async (people) => (await import("./cluster.ts")).proveCluster(people, process.argv[4]) },
  collect: { feature: "collect", size: 20_000, figure: "kills", ciSeconds: null,
    shows: "A collection that is killed again and again has everybody once, within the rate.",
    found: "Smaller tests stop a collection at chosen places; only here it is killed at any moment.",
    prove: async (people) => (await import("./collect.ts")).proveCollect(people) },
  compose: { feature: "app", size: 20, small: 2, unit: "runs", figure: "not_met", ciSeconds: null,
    shows: "compose.yaml starts, fails, restarts and upgrades with Docker as docs/PRODUCTION.md says.",
    found: "A stopped server waited for its name server; docker-compose 1 did not run the file.",
    prove: async (size) => (await import("./compose.ts")).proveCompose(size) },
  endurance: { feature: "app", size: 3_600, small: 36, unit: "seconds", figure: "not_met", ciSeconds: null,
    shows: "Nothing grows at half of the load, with imports, hides and brownouts.",
    found: "Without autovacuum the database grew to 700 MiB in 14 minutes.",
    prove: async (size) => (await import("./endurance.ts")).proveEndurance(size) },
  floods: { feature: "holders", size: 1_000_000, small: 20_000, unit: "requests", figure: "not_met", ciSeconds: 8,
    shows: "Floods of requests of holders without proof stop neither look-ups nor holders.",
    found: "The worker was woken for every request and used 56 s of CPU.",
    prove: async (size) => (await import("./floods.ts")).proveFlood(size) },
  "floods-signed": { feature: "holders", size: 100_000, small: 300, unit: "requests", figure: "not_met", ciSeconds: null,
    shows: "Floods of signed requests of unknown wallets stop neither look-ups nor holders, and fill no table.",
    found: "A table without a bound, in which a flood of a day left millions of rows.",
    prove: async (size) => (await import("./floods.ts")).proveThrowAwayFlood(size) },
  "forged-requests": { feature: "holders", size: 10_000, unit: "requests", figure: "acted_on", ciSeconds: 3,
    shows: "No worker acts on what a stolen serving role inserts, and nothing tells it who is stored.",
    found: "The count of waiting requests would have told who is stored.",
    prove: async (size) => (await import("./forged-requests.ts")).proveForgedRequests(size) },
  "hidden-at-edge": { feature: "privacy", size: 180, small: 4, unit: "seconds", figure: "asked", ciSeconds: 6,
    shows: "Through nginx, nobody gets a byte about hidden and erased people after the bound.",
    found: "Smaller tests ask for copies; only here another client tries to make nginx send them.",
    prove: async (size) => (await import("./hidden-at-edge.ts")).proveHiddenAtEdge(size) },
  "holder-pages": { feature: "holders", size: 1, small: 1, unit: "run", figure: "states", ciSeconds: 26,
    shows: "Holders hide, show and erase on the pages, with one signature each, with and without scripts.",
    found: "Only a browser runs the forms without scripts, and a wallet with them.",
    prove: async () => (await import("./holder-pages.ts")).proveHolderPages(process.argv[4]) },
  "ledger-size": { feature: "decisions", size: 1_000_000, small: 500, figure: "unite_ms", ciSeconds: 2,
    shows: "Decisions about a tenth of the people are united, filtered and written, each in measured time.",
    found: "Arrays with an index of their own made the filter of a batch take 3.7 s.",
    prove: async (people) => (await import("./ledger-size.ts")).proveLedgerSize(people) },
  "import-speed": { feature: "snapshots", size: 1_000_000, figure: "imported_per_second", ciSeconds: null,
    shows: "An import beside a plain COPY of the same rows; a second one changes nothing; V1 answers meanwhile.",
    found: "The figures of docs/reference/tuning.md.",
    prove: async (size) => (await import("./import-speed.ts")).proveImportSpeed(size) },
  interrupted: { feature: "snapshots", size: 20_000, figure: "killed", ciSeconds: 18,
    shows: "Killed imports that are run again have the result of whole ones.",
    found: "Only a process that is killed shows that its transactions are cut in the right places.",
    prove: async (people) => (await import("./interrupted.ts")).proveInterrupted(people) },
  lives: { feature: "decisions", size: 2_000, small: 25, unit: "lives", figure: "violations", ciSeconds: 13,
    shows: "Random lives of people on servers, restored backups and copies: what is shown follows from who knew what.",
    found: "A request to erase two records erased both, although its holder had ended one of the erasures.",
    prove: async (lives) => (await import("./lives.ts")).proveLives(lives, Number(process.argv[4] ?? 1)) },
  "nginx-files": { feature: "app", size: 1, unit: "run", figure: "nginx", ciSeconds: null,
    shows: "nginx of Debian 13 accepts the shipped files at their documented places, unchanged.",
    found: "A test does it on Debian 12. Other versions of nginx have other directives.",
    prove: async () => (await import("./nginx-files.ts")).proveNginxFiles() },
  "page-speed": { feature: "explorer", size: 500, unit: "requests", figure: "not_met", ciSeconds: null,
    shows: "Pages cost little more than a look-up, and have their Lighthouse scores.",
    found: "Tests limit the bytes of pages; only here their time is measured.",
    prove: async (size) => (await import("./page-speed.ts")).provePageSpeed(size) },
  pages: { feature: "explorer", size: 1, small: 0, unit: "factor", figure: "violations", ciSeconds: 27,
    shows: "Every page in every state is accessible and fits, at all widths.",
    found: "Only a browser shows contrast, overflow and the order of focus.",
    prove: async (size) => (await import("./pages.ts")).provePages(size) },
  "proxy-answers": { feature: "v1", size: 200_000, unit: "requests", figure: "optional", ciSeconds: 18,
    shows: "The proxy sends every client the response that the node sends for its request.",
    found: "Smaller tests compare chosen requests; here any two nearly equal ones could share a copy.",
    prove: async (size) => (await import("./proxy-answers.ts")).proveProxyAnswers(size) },
  "proxy-speed": { feature: "v1", size: 10, unit: "seconds", figure: "nginx_cache.requests_per_second", ciSeconds: null,
    shows: "A look-up from the cache of nginx, from a node, and the limit.",
    found: "The figures of docs/PERFORMANCE.md.",
    prove: async (size) => (await import("./proxy-speed.ts")).proveProxySpeed(size) },
  replica: { feature: "core", size: 1_000_000, figure: "max_lag_seconds", ciSeconds: 18,
    shows: "V1 reads from replicas during an import, and from none that lags, also behind one address.",
    found: "The lag of one of two replicas counted for both, so hidden people were shown.",
    prove: async (people) => { const { checkSeenInTime, proveReplica } = await import("./replica.ts"); return checkSeenInTime(await proveReplica(people)); } },
  restarts: { feature: "app", size: 200_000, unit: "requests", figure: "failed", ciSeconds: 9,
    shows: "Nodes behind nginx restart in turn: every request is answered and counted. A kill loses one interval.",
    found: "Both nodes were left out at once, and a third of the requests failed.",
    prove: async (size) => (await import("./restarts.ts")).proveRestarts(size) },
  restore: { feature: "restore", size: 100_000, figure: "restoreSeconds", ciSeconds: null,
    shows: "The drill of docs/reference/backups.md with pgBackRest brings nobody back.",
    found: "The settings and the duration in docs/reference/backups.md.",
    prove: async (size) => (await import("./restore.ts")).proveRestore(size) },
  "round-trip": { feature: "snapshots", size: 20_000, figure: "compared", ciSeconds: 10,
    shows: "An exported snapshot, imported elsewhere, gives the same bytes and ETags.",
    found: "Smaller tests compare files, not the answers that another database makes of them.",
    prove: async (people) => (await import("./round-trip.ts")).proveRoundTrip(people) },
};
