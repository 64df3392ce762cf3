import { ATTACKS } from "./abuse/attacks.ts";
import { importPeople } from "./abuse/people.ts";
import { type AbuseReport, writeReport } from "./abuse/report.ts";
import { startRun } from "./abuse/run.ts";
import { type AttackResult, listNotMet, TARGETS } from "./abuse/targets.ts";
import { withProofDatabase, withProofFolder } from "./harness.ts";

const PEOPLE = 20_000;
const MIN_PEOPLE = 400;

/**
 * Runs many attacks on a server, one after the other, while a good client looks people up. Measures
 * the latency and errors of the good client and the memory of the server. Size 1 rewrites the table
 * in docs/RELIABILITY.md; smaller sizes scale counts and durations down.
 */
export function proveAbuse(size: number): Promise<AbuseReport> {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url }) => {
      const lookups = await importPeople(folder, url, Math.max(MIN_PEOPLE, Math.round(PEOPLE * size)));
      const run = await startRun(url, size, lookups);
      try {
        const idle = await run.measureIdle();
        const attacks: AttackResult[] = [];
        for (const { name, description } of ATTACKS) {
          const result = await run.attack(name, description);
          attacks.push({ ...result, not_met: listNotMet(result, idle) });
          process.stderr.write(`${name}: ${attacks.at(-1)?.not_met.join("; ") || "met"}\n`);
        }
        const cache = await run.measureCache();
        const not_met = attacks.flatMap((attack) => attack.not_met.map((problem) => `${attack.name}: ${problem}`));
        if (cache.hit_ratio < TARGETS.hitRatio) not_met.push(`cache: ${cache.hit_ratio} of look-ups after a flood`);
        const report = { size, largest_asset: run.largestAsset, idle, attacks, cache, not_met };
        if (size === 1) await writeReport(report);
        return report;
      } finally {
        await run.stop();
      }
    }),
  );
}
