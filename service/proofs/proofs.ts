import { CARRIED_FIELDS } from "@credence/contract/carried.ts";

/** `shows`: what a success means. `figure`: which value of the result says it in one number. */
type Proof = {
  size: number;
  unit?: string;
  small?: number;
  prove: (size: number) => Promise<unknown>;
  shows: string;
  figure: string;
};

/** `small` is the size for a quick run; a fiftieth unless stated. Only the proof that runs is loaded. */
export const PROOFS: Record<string, Proof> = {
  abuse: {
    size: 1,
    small: 0.02,
    prove: async (size) => (await import("./abuse.ts")).proveAbuse(size, "proxied", process.argv.slice(4)),
    unit: "factor",
    shows: "Through nginx, a good client is served during every attack of the table.",
    figure: "not_met",
  },
  "abuse-direct": {
    size: 1,
    small: 0.02,
    prove: async (size) => (await import("./abuse.ts")).proveAbuse(size, "direct", process.argv.slice(4)),
    unit: "factor",
    shows: "The same for a node without a proxy.",
    figure: "not_met",
  },
  cluster: {
    size: 20_000,
    small: 500,
    prove: async (people) => (await import("./cluster.ts")).proveCluster(people, process.argv[4]),
    shows: "Two nodes and three PostgreSQL survive 26 faults without a failed read.",
    figure: "not_met",
  },
  collect: {
    size: 20_000,
    prove: async (people) => (await import("./collect.ts")).proveCollect(people),
    shows: "A collection that is killed again and again has everybody once, within the rate.",
    figure: "kills",
  },
  "collect-files": {
    size: 1_000_000,
    prove: async (size) => (await import("./collect-files.ts")).proveCollectFiles(size),
    unit: "responses",
    shows: "A snapshot of saved responses is made in bounded memory.",
    figure: "responses_per_second",
  },
  compose: {
    size: 20,
    small: 2,
    prove: async (size) => (await import("./compose.ts")).proveCompose(size),
    unit: "runs",
    shows: "compose.yaml starts, fails, restarts and upgrades as docs/INSTALL.md says.",
    figure: "not_met",
  },
  endurance: {
    size: 3_600,
    small: 36,
    prove: async (size) => (await import("./endurance.ts")).proveEndurance(size),
    unit: "seconds",
    shows: "Nothing grows at half of the load, with imports, hides and brownouts.",
    figure: "not_met",
  },
  "forged-requests": {
    size: 10_000,
    prove: async (size) => (await import("./forged-requests.ts")).proveForgedRequests(size),
    unit: "requests",
    shows: "No worker acts on what a stolen serving role inserts.",
    figure: "acted_on",
  },
  "holder-states": {
    size: 10_000,
    small: 50,
    prove: async (size) => (await import("./holder-states.ts")).proveHolderStates(size),
    unit: "runs",
    shows: "Requests of holders keep their invariants in random interleavings.",
    figure: "runs",
  },
  "holder-pages": {
    size: 1,
    small: 0,
    prove: async (size) => (await import("./holder-pages.ts")).proveHolderPages(size),
    unit: "factor",
    shows: "Holders can do all five requests on the pages, with and without scripts.",
    figure: "states",
  },
  "import-speed": {
    size: 1_000_000,
    prove: async (size) => (await import("./import-speed.ts")).proveImportSpeed(size),
    shows: "An import beside a plain COPY of the same rows; a second one changes nothing.",
    figure: "imported_per_second",
  },
  "reads-during-import": {
    size: 1_000_000,
    prove: async (size) => (await import("./reads-during-import.ts")).proveReadsDuringImport(size),
    shows: "V1 answers all requests during an import.",
    figure: "while_importing.p99_ms",
  },
  "interrupted-carry": {
    size: 20_000,
    prove: async (people) => (await import("./interrupted-carry.ts")).proveInterruptedCarry(people),
    shows: "Killed changes of carried fields have the same result when they are finished.",
    figure: "killed",
  },
  "interrupted-import": {
    size: 20_000,
    prove: async (people) => (await import("./interrupted-import.ts")).proveInterruptedImport(people),
    shows: "A killed import that is run again has the result of an uninterrupted one.",
    figure: "killed",
  },
  "hostile-file": {
    size: 10_000,
    prove: async (size) => (await import("./hostile-file.ts")).proveHostileFile(size),
    unit: "lines",
    shows: "Of a hostile file, valid lines are imported and others reported, in bounded memory.",
    figure: "refused",
  },
  "hostile-folder": {
    size: 2_000,
    prove: async (size) => (await import("./hostile-folder.ts")).proveHostileFolder(size),
    unit: "files",
    shows: "Hostile snapshot folders are refused, in bounded memory.",
    figure: "refused",
  },
  "recalculation-speed": {
    size: 1_000_000,
    prove: async (people) => (await import("./recalculation-speed.ts")).proveRecalculationSpeed(people),
    shows: "V1 shows the old score, then `calculating_score`, then the new score.",
    figure: "one_worker.people_per_second",
  },
  "killed-workers": {
    size: 20_000,
    prove: async (people) => (await import("./killed-workers.ts")).proveKilledWorkers(people),
    shows: "Four workers that are killed in turn have the result of one.",
    figure: "kills",
  },
  limits: {
    size: 1_000,
    prove: async (clients) => (await import("./limits.ts")).proveLimits(clients),
    unit: "clients",
    shows: "Clients within their limit are never refused.",
    figure: "four_processes.refused",
  },
  "long-names": {
    size: 3_000,
    prove: async (size) => (await import("./long-names.ts")).proveLongNames(size),
    shows: "The standing of long random names is built in a small heap.",
    figure: "times_longer",
  },
  nightly: {
    size: 20_000,
    prove: async (people) => (await import("./nightly.ts")).proveNightly(people),
    shows: "A nightly collection needs a tenth of the requests, and nobody gets old.",
    figure: "ratio",
  },
  "page-speed": {
    size: 500,
    prove: async (size) => (await import("./page-speed.ts")).provePageSpeed(size),
    unit: "requests",
    shows: "Pages cost little more than a look-up, and have their Lighthouse scores.",
    figure: "not_met",
  },
  pages: {
    size: 1,
    small: 0,
    prove: async (size) => (await import("./pages.ts")).provePages(size),
    unit: "factor",
    shows: "Every page in every state is accessible and fits, at all widths.",
    figure: "violations",
  },
  "poisoned-people": {
    size: 100_000,
    prove: async (size) => (await import("./poisoned-people.ts")).provePoisonedPeople(size),
    shows: "People whose recalculation fails are set aside and do not stop the others.",
    figure: "people_per_second",
  },
  "proxy-answers": {
    size: 200_000,
    prove: async (size) => (await import("./proxy-answers.ts")).proveProxyAnswers(size),
    unit: "requests",
    shows: "The proxy sends every client the response that the node sends for its request.",
    figure: "optional",
  },
  "proxy-speed": {
    size: 10,
    prove: async (size) => (await import("./proxy-speed.ts")).proveProxySpeed(size),
    unit: "seconds",
    shows: "A look-up from the cache of nginx, from a node, and the limit.",
    figure: "nginx_cache.requests_per_second",
  },
  "rolling-restart": {
    size: 200_000,
    prove: async (size) => (await import("./rolling-restart.ts")).proveRollingRestart(size),
    unit: "requests",
    shows: "Nodes behind the proxy restart in turn, and every request is answered.",
    figure: "failed",
  },
  restore: {
    size: 100_000,
    prove: async (size) => (await import("./restore.ts")).proveRestore(size),
    shows: "The drill of docs/OPERATIONS.md with pgBackRest brings nobody back.",
    figure: "restoreSeconds",
  },
  "restored-protections": {
    size: 1_000,
    small: 10,
    prove: async (size) => (await import("./restored-protections.ts")).proveRestoredProtections(size),
    unit: "runs",
    shows: "A restored backup with any file of protections shows nobody who was hidden.",
    figure: "runs",
  },
  ranks: {
    size: 20_000,
    prove: async (size) => (await import("./ranks.ts")).proveRanks(size),
    shows: "The rank on a page is a count of all people in SQL.",
    figure: "checked",
  },
  replica: {
    size: 1_000_000,
    prove: async (people) => {
      const { checkSeenInTime, proveReplica } = await import("./replica.ts");
      return checkSeenInTime(await proveReplica(people));
    },
    shows: "V1 reads from a replica during an import, and not while it lags.",
    figure: "max_lag_seconds",
  },
  replicas: {
    size: 500,
    prove: async (size) => (await import("./replicas.ts")).proveReplicas(size),
    shows: "Of two replicas behind one address, the one that lags is not read.",
    figure: "discarded_connections",
  },
  "round-trip": {
    size: 10_000,
    prove: async (people) => (await import("./round-trip.ts")).proveRoundTrip(people),
    shows: "An exported snapshot, imported elsewhere, gives the same bytes and ETags.",
    figure: "compared",
  },
  "round-trip-carried": {
    size: 20_000,
    prove: async (people) => (await import("./round-trip.ts")).proveRoundTrip(people, CARRIED_FIELDS),
    shows: "The same with all carried fields.",
    figure: "compared",
  },
  signatures: {
    size: 100_000,
    prove: async (size) => (await import("./signatures.ts")).proveSignatures(size),
    unit: "requests",
    shows: "Of signed requests changed in every way, exactly the valid ones pass.",
    figure: "accepted",
  },
  "two-versions": {
    size: 20_000,
    small: 400,
    prove: async (size) => (await import("./two-versions.ts")).proveTwoVersions(size),
    unit: "requests",
    shows: "The previous version and this one serve and write on one database.",
    figure: "different",
  },
  "throw-away-wallets": {
    size: 100_000,
    small: 300,
    prove: async (size) => (await import("./unproven-requests.ts")).proveThrowAwayWallets(size),
    unit: "requests",
    shows: "Floods of signed requests of unknown wallets stop neither look-ups nor holders.",
    figure: "not_met",
  },
  "unproven-requests": {
    size: 1_000_000,
    prove: async (size) => (await import("./unproven-requests.ts")).proveUnprovenRequests(size),
    unit: "requests",
    shows: "Floods of unsigned requests stop neither look-ups nor holders.",
    figure: "not_met",
  },
  usage: {
    size: 1_000_000,
    prove: async (size) => (await import("./usage.ts")).proveUsage(size),
    unit: "requests",
    shows: "Counts of usage equal the responses, over restarts; a kill loses one interval.",
    figure: "wrong_counts",
  },
  "well-behaved": {
    size: 60,
    small: 3,
    prove: async (size) => (await import("./well-behaved.ts")).proveWellBehaved(size),
    unit: "seconds",
    shows: "Clients within their limits are never refused by nginx and node.",
    figure: "not_met",
  },
};
