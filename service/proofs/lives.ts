import { inspect } from "node:util";
import { withProofDatabase } from "./harness.ts";
import { Life, type Servers } from "./lives/life.ts";
import { Server } from "./lives/server.ts";

/**
 * `live` and `spare` take turns: a backup of one is restored on the other. `other` belongs to another operator, `copy`
 * imports snapshots, and the last two compare in the end. The value is SQL: how far the clock is off.
 */
const CLOCKS = {
  ...{ live: "", spare: "- interval '2 hours'", other: "", copy: "+ interval '2 hours'" },
  ...{ restored: "- interval '2 hours'", kept: "" },
};

type Log = (server: string, what: string, details?: string) => void;

/**
 * Random lives of six people on a few servers. After every step, each server is checked against what is expected of
 * it, which is written without the implementation. Stops after three violations.
 */
export async function proveLives(lives: number, seed: number) {
  const started = performance.now();
  const seen: Record<string, number> = {};
  const violations: string[] = [];
  let story: string[] = [];
  let number = 0;
  const log: Log = (server, what, details = "") => {
    story.push(`${server} ${what} ${details}`);
    seen[what] = (seen[what] ?? 0) + 1;
  };
  await withServers(log, Object.entries(CLOCKS), {}, async (servers) => {
    for (; number < lives && violations.length < 3; number += 1) {
      story = [];
      try {
        await new Life(`${seed} ${number}`, servers).live();
      } catch (error) {
        violations.push(`life ${number} of seed ${seed}:\n${story.join("\n")}\n${inspect(error)}`);
        process.stderr.write(`${violations.at(-1)}\n`);
      }
      if ((number + 1) % 100 === 0) process.stderr.write(`${number + 1} of ${lives}\n`);
    }
  });
  const seconds = Math.round((performance.now() - started) / 1_000);
  return { lives: number, seed, seconds, seen, violations: violations.length, not_met: violations };
}

type Clock = [name: string, difference: string];
type Work = (servers: Servers) => Promise<void>;

async function withServers(log: Log, clocks: Clock[], servers: Partial<Servers>, work: Work): Promise<void> {
  const [next, ...others] = clocks;
  if (next === undefined) return work({ ...servers, empty: (await servers.live?.backUp())?.tables } as Servers);
  const [name, difference] = next;
  await withProofDatabase(async ({ database }) => {
    await database.query(`alter table decision alter decided_at set default clock_timestamp() ${difference}`);
    const server = new Server(name, database, (what, details) => log(name, what, details));
    await withServers(log, others, { ...servers, [name]: server }, work);
  });
}
