import { issueKey } from "#keys/manage/issue-key.ts";
import { ATTACKS } from "./abuse/attacks.ts";
import { importPeople } from "./abuse/people.ts";
import { type AbuseReport, writeReport } from "./abuse/report.ts";
import { startRun } from "./abuse/run.ts";
import { type AttackResult, isValid, ROUNDS, type Round, summarise } from "./abuse/targets.ts";
import { requireName, withProofDatabase, withProofFolder } from "./harness.ts";

const PEOPLE = 20_000;
const MIN_PEOPLE = 400;

/**
 * Runs many attacks on a node behind nginx, one after the other, in rounds, while a good client looks
 * people up. Measures the latency and errors of the good client beside those of a control, and the
 * memory of the server. Size 1 rewrites a table in docs/RELIABILITY.md; smaller sizes scale counts and
 * durations down, and run one round.
 */
export function proveAbuse(size: number, names: readonly string[] = []): Promise<AbuseReport> {
  for (const name of names)
    requireName(
      name,
      ATTACKS.map((attack) => attack.name),
    );
  const attacksToRun = ATTACKS.filter(({ name }) => names.length === 0 || names.includes(name));
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const lookups = await importPeople(folder, url, Math.max(MIN_PEOPLE, Math.round(PEOPLE * size)));
      const { token: key } = await issueKey(database, { label: "good client", contact: "proof", expiresAt: null });
      const run = await startRun({ url, folder, size, lookups, key });
      const rounds = size === 1 ? ROUNDS : { valid: 1, tried: 1 };
      try {
        const { good: idle } = await run.measureIdle();
        const attacks: AttackResult[] = [];
        for (const attack of attacksToRun) {
          const measured: Round[] = [];
          while (measured.length < rounds.tried && measured.filter(isValid).length < rounds.valid) {
            measured.push(await run.attack(attack.name));
          }
          const after = await run.settle(measured[0]?.memory_mib.before ?? 0);
          const result = summarise(attack, measured, after, rounds.valid);
          attacks.push(result);
          process.stderr.write(`${JSON.stringify(result)}\n`);
        }
        const not_met = attacks.flatMap((attack) => attack.not_met.map((problem) => `${attack.name}: ${problem}`));
        const lost_notices = run.countLostNotices();
        if (lost_notices > 0) not_met.push(`${lost_notices} false alarms of the connection for notices`);
        const report = { size, largest_asset: run.largestAsset, idle, attacks, lost_notices, not_met };
        if (size === 1 && names.length === 0) await writeReport(report);
        return report;
      } finally {
        await run.stop();
      }
    }),
  );
}
