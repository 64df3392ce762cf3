import { proveAbuse } from "./abuse.ts";
import { proveHostileFile } from "./hostile-file.ts";
import { proveHostileFolder } from "./hostile-folder.ts";
import { proveImportSpeed } from "./import-speed.ts";
import { proveInterruptedImport } from "./interrupted-import.ts";
import { proveKilledWorkers } from "./killed-workers.ts";
import { proveLongNames } from "./long-names.ts";
import { provePoisonedPeople } from "./poisoned-people.ts";
import { proveReadsDuringImport } from "./reads-during-import.ts";
import { proveRecalculationSpeed } from "./recalculation-speed.ts";
import { checkSeenInTime, proveReplica } from "./replica.ts";
import { proveReplicas } from "./replicas.ts";
import { proveRoundTrip } from "./round-trip.ts";

// Runs a proof at full size: `npm run prove -- NAME [PEOPLE]`. CI runs the same proofs with few
// people. PEOPLE can be `small`: a fiftieth. The size of `abuse` is a factor: 1 is the full size.

type Proof = { people: number; small?: number; prove: (people: number) => Promise<unknown> };

const PROOFS: Record<string, Proof> = {
  abuse: { people: 1, small: 0.02, prove: proveAbuse },
  "import-speed": { people: 1_000_000, prove: proveImportSpeed },
  "reads-during-import": { people: 1_000_000, prove: proveReadsDuringImport },
  "interrupted-import": { people: 20_000, prove: (people) => proveInterruptedImport(people) },
  "hostile-file": { people: 10_000, prove: proveHostileFile },
  "hostile-folder": { people: 2_000, prove: proveHostileFolder },
  "recalculation-speed": { people: 1_000_000, prove: (people) => proveRecalculationSpeed(people) },
  "killed-workers": { people: 20_000, prove: (people) => proveKilledWorkers(people) },
  "long-names": { people: 3_000, prove: proveLongNames },
  "poisoned-people": { people: 100_000, prove: provePoisonedPeople },
  replica: { people: 1_000_000, prove: async (people) => checkSeenInTime(await proveReplica(people)) },
  replicas: { people: 500, prove: proveReplicas },
  "round-trip": { people: 10_000, prove: proveRoundTrip },
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
  // Proofs throw on failure, except `abuse`: its other figures are still useful.
  if (Object(result).not_met?.length > 0) process.exitCode = 1;
}
