import { ATTACKS } from "./abuse/attacks.ts";
import { importPeople } from "./abuse/people.ts";
import { type AbuseReport, writeReport } from "./abuse/report.ts";
import { startRun } from "./abuse/run.ts";
import { type AttackResult, listNotMet, TARGETS } from "./abuse/targets.ts";
import { withProofDatabase, withProofFolder } from "./ground.ts";

const PEOPLE = 20_000;
const FEWEST_PEOPLE = 400;

/**
 * Attacks a server in many ways, one after the other, while a good client looks people up: what the client notices, and what the
 * server's memory does. At size 1 the table in docs/RELIABILITY.md is written anew; below, counts and durations are scaled down.
 */
export function proveAbuse(size: number): Promise<AbuseReport> {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url }) => {
      const lookups = await importPeople(folder, url, Math.max(FEWEST_PEOPLE, Math.round(PEOPLE * size)));
      const run = await startRun(url, size, lookups);
      try {
        const idle = await run.rest();
        const attacks: AttackResult[] = [];
        for (const { name, what } of ATTACKS) {
          const result = await run.attack(name, what);
          attacks.push({ ...result, not_met: listNotMet(result, idle) });
          process.stderr.write(`${name}: ${attacks.at(-1)?.not_met.join("; ") || "met"}\n`);
        }
        const cache = await run.measureCache();
        const not_met = attacks.flatMap((one) => one.not_met.map((problem) => `${one.name}: ${problem}`));
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
