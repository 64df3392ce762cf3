import { proveHostileFile } from "./hostile-file.ts";
import { proveImportSpeed } from "./import-speed.ts";
import { proveInterruptedImport } from "./interrupted-import.ts";
import { proveKilledWorkers } from "./killed-workers.ts";
import { provePoisonedPeople } from "./poisoned-people.ts";
import { proveReadsDuringImport } from "./reads-during-import.ts";
import { proveRecalculationSpeed } from "./recalculation-speed.ts";
import { checkSeenInTime, proveReplica } from "./replica.ts";
import { proveRoundTrip } from "./round-trip.ts";

// Proofs at sizes that take long: `npm run prove -- NAME [PEOPLE]`. CI runs the same ones small.

type Proof = { people: number; prove: (people: number) => Promise<unknown> };

const PROOFS: Record<string, Proof> = {
  "import-speed": { people: 1_000_000, prove: proveImportSpeed },
  "reads-during-import": { people: 1_000_000, prove: proveReadsDuringImport },
  "interrupted-import": { people: 20_000, prove: (people) => proveInterruptedImport(people) },
  "hostile-file": { people: 10_000, prove: (lines) => proveHostileFile(lines) },
  "recalculation-speed": { people: 1_000_000, prove: (people) => proveRecalculationSpeed(people) },
  "killed-workers": { people: 20_000, prove: (people) => proveKilledWorkers(people) },
  "poisoned-people": { people: 100_000, prove: provePoisonedPeople },
  replica: { people: 1_000_000, prove: async (people) => checkSeenInTime(await proveReplica(people)) },
  "round-trip": { people: 10_000, prove: proveRoundTrip },
};

const [name = "", people] = process.argv.slice(2);
const proof = PROOFS[name];
if (proof === undefined) {
  process.stderr.write(`Which proof? npm run prove -- ${Object.keys(PROOFS).join("|")} [PEOPLE]\n`);
  process.exitCode = 2;
} else {
  const result = await proof.prove(people === undefined ? proof.people : Number(people));
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}
