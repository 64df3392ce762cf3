import { CARRIED_FIELDS } from "@credence/contract/carried.ts";
import { proveAbuse } from "./abuse.ts";
import { proveCluster } from "./cluster.ts";
import { proveCollect } from "./collect.ts";
import { proveCollectFiles } from "./collect-files.ts";
import { proveCompose } from "./compose.ts";
import { proveEndurance } from "./endurance.ts";
import { proveForgedRequests } from "./forged-requests.ts";
import { proveHolderPages } from "./holder-pages.ts";
import { proveHolderStates } from "./holder-states.ts";
import { proveHostileFile } from "./hostile-file.ts";
import { proveHostileFolder } from "./hostile-folder.ts";
import { proveImportSpeed } from "./import-speed.ts";
import { proveInterruptedCarry } from "./interrupted-carry.ts";
import { proveInterruptedImport } from "./interrupted-import.ts";
import { proveKilledWorkers } from "./killed-workers.ts";
import { proveLimits } from "./limits.ts";
import { proveLongNames } from "./long-names.ts";
import { proveNightly } from "./nightly.ts";
import { provePageSpeed } from "./page-speed.ts";
import { provePages } from "./pages.ts";
import { provePoisonedPeople } from "./poisoned-people.ts";
import { proveProxyAnswers } from "./proxy-answers.ts";
import { proveProxySpeed } from "./proxy-speed.ts";
import { proveRanks } from "./ranks.ts";
import { proveReadsDuringImport } from "./reads-during-import.ts";
import { proveRecalculationSpeed } from "./recalculation-speed.ts";
import { checkSeenInTime, proveReplica } from "./replica.ts";
import { proveReplicas } from "./replicas.ts";
import { proveRestore } from "./restore.ts";
import { proveRestoredProtections } from "./restored-protections.ts";
import { proveRollingRestart } from "./rolling-restart.ts";
import { proveRoundTrip } from "./round-trip.ts";
import { proveSignatures } from "./signatures.ts";
import { proveTwoVersions } from "./two-versions.ts";
import { proveThrowAwayWallets, proveUnprovenRequests } from "./unproven-requests.ts";
import { proveUsage } from "./usage.ts";
import { proveWellBehaved } from "./well-behaved.ts";

/** `shows`: what a success means. `figure`: which value of the result says it in one number. */
type Proof = {
  size: number;
  unit?: string;
  small?: number;
  prove: (size: number) => Promise<unknown>;
  shows: string;
  figure: string;
};

/** `small` is the size for a quick run; a fiftieth unless stated. */
export const PROOFS: Record<string, Proof> = {
  abuse: {
    size: 1,
    small: 0.02,
    prove: (size) => proveAbuse(size, "proxied", process.argv.slice(4)),
    unit: "factor",
    shows: "Through nginx, a good client is served during every attack of the table.",
    figure: "not_met",
  },
  "abuse-direct": {
    size: 1,
    small: 0.02,
    prove: (size) => proveAbuse(size, "direct", process.argv.slice(4)),
    unit: "factor",
    shows: "The same for a node without a proxy.",
    figure: "not_met",
  },
  cluster: {
    size: 20_000,
    small: 500,
    prove: (people) => proveCluster(people, process.argv[4]),
    shows: "Two nodes and three PostgreSQL survive 26 faults without a failed read.",
    figure: "not_met",
  },
  collect: {
    size: 20_000,
    prove: (people) => proveCollect(people),
    shows: "A collection that is killed again and again has everybody once, within the rate.",
    figure: "kills",
  },
  "collect-files": {
    size: 1_000_000,
    prove: proveCollectFiles,
    unit: "responses",
    shows: "A snapshot of saved responses is made in bounded memory.",
    figure: "responses_per_second",
  },
  compose: {
    size: 20,
    small: 2,
    prove: proveCompose,
    unit: "runs",
    shows: "compose.yaml starts, fails, restarts and upgrades as docs/INSTALL.md says.",
    figure: "not_met",
  },
  endurance: {
    size: 3_600,
    small: 36,
    prove: proveEndurance,
    unit: "seconds",
    shows: "Nothing grows at half of the load, with imports, hides and brownouts.",
    figure: "not_met",
  },
  "forged-requests": {
    size: 10_000,
    prove: proveForgedRequests,
    unit: "requests",
    shows: "No worker acts on what a stolen serving role inserts.",
    figure: "acted_on",
  },
  "holder-states": {
    size: 10_000,
    small: 50,
    prove: proveHolderStates,
    unit: "runs",
    shows: "Requests of holders keep their invariants in random interleavings.",
    figure: "runs",
  },
  "holder-pages": {
    size: 1,
    small: 0,
    prove: proveHolderPages,
    unit: "factor",
    shows: "Holders can do all five requests on the pages, with and without scripts.",
    figure: "states",
  },
  "import-speed": {
    size: 1_000_000,
    prove: proveImportSpeed,
    shows: "An import beside a plain COPY of the same rows; a second one changes nothing.",
    figure: "imported_per_second",
  },
  "reads-during-import": {
    size: 1_000_000,
    prove: proveReadsDuringImport,
    shows: "V1 answers all requests during an import.",
    figure: "while_importing.p99_ms",
  },
  "interrupted-carry": {
    size: 20_000,
    prove: (people) => proveInterruptedCarry(people),
    shows: "Killed changes of carried fields have the same result when they are finished.",
    figure: "killed",
  },
  "interrupted-import": {
    size: 20_000,
    prove: (people) => proveInterruptedImport(people),
    shows: "A killed import that is run again has the result of an uninterrupted one.",
    figure: "killed",
  },
  "hostile-file": {
    size: 10_000,
    prove: proveHostileFile,
    unit: "lines",
    shows: "Of a hostile file, valid lines are imported and others reported, in bounded memory.",
    figure: "refused",
  },
  "hostile-folder": {
    size: 2_000,
    prove: proveHostileFolder,
    unit: "files",
    shows: "Hostile snapshot folders are refused, in bounded memory.",
    figure: "refused",
  },
  "recalculation-speed": {
    size: 1_000_000,
    prove: (people) => proveRecalculationSpeed(people),
    shows: "V1 shows the old score, then `calculating_score`, then the new score.",
    figure: "one_worker.people_per_second",
  },
  "killed-workers": {
    size: 20_000,
    prove: (people) => proveKilledWorkers(people),
    shows: "Four workers that are killed in turn have the result of one.",
    figure: "kills",
  },
  limits: {
    size: 1_000,
    prove: async (clients) => proveLimits(clients),
    unit: "clients",
    shows: "Clients within their limit are never refused.",
    figure: "four_processes.refused",
  },
  "long-names": {
    size: 3_000,
    prove: proveLongNames,
    shows: "The standing of long random names is built in a small heap.",
    figure: "times_longer",
  },
  nightly: {
    size: 20_000,
    prove: (people) => proveNightly(people),
    shows: "A nightly collection needs a tenth of the requests, and nobody gets old.",
    figure: "ratio",
  },
  "page-speed": {
    size: 500,
    prove: provePageSpeed,
    unit: "requests",
    shows: "Pages cost little more than a look-up, and have their Lighthouse scores.",
    figure: "not_met",
  },
  pages: {
    size: 1,
    small: 0,
    prove: provePages,
    unit: "factor",
    shows: "Every page in every state is accessible and fits, at all widths.",
    figure: "violations",
  },
  "poisoned-people": {
    size: 100_000,
    prove: provePoisonedPeople,
    shows: "People whose recalculation fails are set aside and do not stop the others.",
    figure: "people_per_second",
  },
  "proxy-answers": {
    size: 200_000,
    prove: proveProxyAnswers,
    unit: "requests",
    shows: "The proxy sends every client the response that the node sends for its request.",
    figure: "optional",
  },
  "proxy-speed": {
    size: 10,
    prove: proveProxySpeed,
    unit: "seconds",
    shows: "A look-up from the cache of nginx, from a node, and the limit.",
    figure: "nginx_cache.requests_per_second",
  },
  "rolling-restart": {
    size: 200_000,
    prove: proveRollingRestart,
    unit: "requests",
    shows: "Nodes behind the proxy restart in turn, and every request is answered.",
    figure: "failed",
  },
  restore: {
    size: 100_000,
    prove: proveRestore,
    shows: "The drill of docs/OPERATIONS.md with pgBackRest brings nobody back.",
    figure: "restoreSeconds",
  },
  "restored-protections": {
    size: 1_000,
    small: 10,
    prove: proveRestoredProtections,
    unit: "runs",
    shows: "A restored backup with any file of protections shows nobody who was hidden.",
    figure: "runs",
  },
  ranks: {
    size: 20_000,
    prove: proveRanks,
    shows: "The rank on a page is a count of all people in SQL.",
    figure: "checked",
  },
  replica: {
    size: 1_000_000,
    prove: async (people) => checkSeenInTime(await proveReplica(people)),
    shows: "V1 reads from a replica during an import, and not while it lags.",
    figure: "max_lag_seconds",
  },
  replicas: {
    size: 500,
    prove: proveReplicas,
    shows: "Of two replicas behind one address, the one that lags is not read.",
    figure: "discarded_connections",
  },
  "round-trip": {
    size: 10_000,
    prove: (people) => proveRoundTrip(people),
    shows: "An exported snapshot, imported elsewhere, gives the same bytes and ETags.",
    figure: "compared",
  },
  "round-trip-carried": {
    size: 20_000,
    prove: (people) => proveRoundTrip(people, CARRIED_FIELDS),
    shows: "The same with all carried fields.",
    figure: "compared",
  },
  signatures: {
    size: 100_000,
    prove: proveSignatures,
    unit: "requests",
    shows: "Of signed requests changed in every way, exactly the valid ones pass.",
    figure: "accepted",
  },
  "two-versions": {
    size: 20_000,
    small: 400,
    prove: proveTwoVersions,
    unit: "requests",
    shows: "The previous version and this one serve and write on one database.",
    figure: "different",
  },
  "throw-away-wallets": {
    size: 100_000,
    small: 300,
    prove: proveThrowAwayWallets,
    unit: "requests",
    shows: "Floods of signed requests of unknown wallets stop neither look-ups nor holders.",
    figure: "not_met",
  },
  "unproven-requests": {
    size: 1_000_000,
    prove: proveUnprovenRequests,
    unit: "requests",
    shows: "Floods of unsigned requests stop neither look-ups nor holders.",
    figure: "not_met",
  },
  usage: {
    size: 1_000_000,
    prove: proveUsage,
    unit: "requests",
    shows: "Counts of usage equal the responses, over restarts; a kill loses one interval.",
    figure: "wrong_counts",
  },
  "well-behaved": {
    size: 60,
    small: 3,
    prove: proveWellBehaved,
    unit: "seconds",
    shows: "Clients within their limits are never refused by nginx and node.",
    figure: "not_met",
  },
};
