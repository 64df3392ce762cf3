import { CARRIED_FIELDS } from "@credence/contract/person.ts";
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

// Runs a proof at full size: `npm run prove -- NAME [PEOPLE]`. CI runs the same proofs with few
// people. PEOPLE can be `small`: a fiftieth. The size of `abuse`, `abuse-direct`, `pages` and `holder-pages` is a
// factor: 1 is the full size. That of `compose`, `holder-states` and `restored-protections` is a number of runs, that of `collect-files` is a number of responses; that of
// `forged-requests`, `page-speed`, `proxy-answers`, `rolling-restart`, `signatures`,
// `throw-away-wallets`, `two-versions`, `unproven-requests` and `usage` of requests; that of `endurance`, `proxy-speed` and `well-behaved` of seconds.

type Proof = { people: number; small?: number; prove: (people: number) => Promise<unknown> };

const PROOFS: Record<string, Proof> = {
  abuse: { people: 1, small: 0.02, prove: (size) => proveAbuse(size, "proxied", process.argv.slice(4)) },
  "abuse-direct": { people: 1, small: 0.02, prove: (size) => proveAbuse(size, "direct", process.argv.slice(4)) },
  cluster: { people: 20_000, small: 500, prove: (people) => proveCluster(people, process.argv[4]) },
  collect: { people: 20_000, prove: (people) => proveCollect(people) },
  "collect-files": { people: 1_000_000, prove: proveCollectFiles },
  compose: { people: 20, small: 2, prove: proveCompose },
  endurance: { people: 3_600, small: 36, prove: proveEndurance },
  "forged-requests": { people: 10_000, prove: proveForgedRequests },
  "holder-states": { people: 10_000, small: 50, prove: proveHolderStates },
  "holder-pages": { people: 1, small: 0, prove: proveHolderPages },
  "import-speed": { people: 1_000_000, prove: proveImportSpeed },
  "reads-during-import": { people: 1_000_000, prove: proveReadsDuringImport },
  "interrupted-carry": { people: 20_000, prove: (people) => proveInterruptedCarry(people) },
  "interrupted-import": { people: 20_000, prove: (people) => proveInterruptedImport(people) },
  "hostile-file": { people: 10_000, prove: proveHostileFile },
  "hostile-folder": { people: 2_000, prove: proveHostileFolder },
  "recalculation-speed": { people: 1_000_000, prove: (people) => proveRecalculationSpeed(people) },
  "killed-workers": { people: 20_000, prove: (people) => proveKilledWorkers(people) },
  limits: { people: 1_000, prove: async (clients) => proveLimits(clients) },
  "long-names": { people: 3_000, prove: proveLongNames },
  nightly: { people: 20_000, prove: (people) => proveNightly(people) },
  "page-speed": { people: 500, prove: provePageSpeed },
  pages: { people: 1, small: 0, prove: provePages },
  "poisoned-people": { people: 100_000, prove: provePoisonedPeople },
  "proxy-answers": { people: 200_000, prove: proveProxyAnswers },
  "proxy-speed": { people: 10, prove: proveProxySpeed },
  "rolling-restart": { people: 200_000, prove: proveRollingRestart },
  restore: { people: 100_000, prove: proveRestore },
  "restored-protections": { people: 1_000, small: 10, prove: proveRestoredProtections },
  ranks: { people: 20_000, prove: proveRanks },
  replica: { people: 1_000_000, prove: async (people) => checkSeenInTime(await proveReplica(people)) },
  replicas: { people: 500, prove: proveReplicas },
  "round-trip": { people: 10_000, prove: (people) => proveRoundTrip(people) },
  "round-trip-carried": { people: 20_000, prove: (people) => proveRoundTrip(people, CARRIED_FIELDS) },
  signatures: { people: 100_000, prove: proveSignatures },
  "two-versions": { people: 20_000, small: 400, prove: proveTwoVersions },
  "throw-away-wallets": { people: 100_000, small: 300, prove: proveThrowAwayWallets },
  "unproven-requests": { people: 1_000_000, prove: proveUnprovenRequests },
  usage: { people: 1_000_000, prove: proveUsage },
  "well-behaved": { people: 60, small: 3, prove: proveWellBehaved },
};

const [name = "", people] = process.argv.slice(2);
const proof = PROOFS[name];
if (proof === undefined) {
  process.stderr.write(`Usage: npm run prove -- ${Object.keys(PROOFS).join("|")} [PEOPLE]\n`);
  process.exitCode = 2;
} else {
  const size = people === "small" ? (proof.small ?? proof.people / 50) : Number(people ?? proof.people);
  const result = await proof.prove(size);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  // Proofs throw on failure, except those whose other figures are still useful.
  if (Object(result).not_met?.length > 0) process.exitCode = 1;
}
