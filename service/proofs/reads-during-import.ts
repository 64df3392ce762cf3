import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { inventPopulation } from "#invent/population.ts";
import { holdUpImport, runCredence, startServer, waitUntil, withProofDatabase, withProofFolder } from "./ground.ts";

const REQUESTS_A_SECOND = 100;
/** So many are made in any case: before the import, and while it goes on, if need be by holding it up. */
const LEAST_REQUESTS = 300;

/** V1 answers, by id, by credentials and by list, while an import goes on: no error, and how long answers take. */
export function proveReadsDuringImport(people: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const some = join(folder, "some");
      const all = join(folder, "all");
      // Whoever is asked for is there before.
      await runCredence(["generate", "--people", "1000", "--seed", "1", "--out", some]);
      await runCredence(["import", some], { DATABASE_URL: url });
      await runCredence(["generate", "--people", String(people), "--seed", "2", "--out", all]);
      const server = await startServer(url);
      try {
        const shown = listShown();
        const quiet = await measure(server.address, shown, (answered) => answered >= LEAST_REQUESTS);
        const hold = await holdUpImport(database, people);
        let ended = false;
        const importing = runCredence(["import", all, "--json"], { DATABASE_URL: url }).finally(() => {
          ended = true;
        });
        let requests = 0;
        const releasing = waitUntil(() => requests >= LEAST_REQUESTS || ended).then(hold.release);
        const busy = await measure(server.address, shown, (answered) => {
          requests = answered;
          return ended;
        });
        await releasing;
        const { added, changed, unchanged, duration_ms } = JSON.parse((await importing).stdout);
        assert.equal(added + changed + unchanged, people);
        return { people, import_seconds: duration_ms / 1_000, quiet, while_importing: busy };
      } finally {
        await server.stop();
      }
    }),
  );
}

/** Those of the first thousand whom neither snapshot hides: they must be found at every moment. */
function listShown(): number[] {
  const [some, all] = [1, 2].map((seed) => [...inventPopulation(seed, 1_000)]);
  return Array.from({ length: 1_000 }, (_, at) => at).flatMap((at) =>
    some?.[at]?.operator?.hidden || all?.[at]?.operator?.hidden ? [] : [at + 1],
  );
}

/** Asks at a steady rate until it is over, which may depend on how many have been answered. */
async function measure(address: string, ids: readonly number[], isOver: (answered: number) => boolean) {
  const times: number[] = [];
  const asked: Promise<void>[] = [];
  for (let at = 0; !isOver(times.length); at += 1) {
    asked.push(
      ask(address + pathOf(at, ids)).then((ms) => {
        times.push(ms);
      }),
    );
    await setTimeout(1_000 / REQUESTS_A_SECOND);
  }
  await Promise.all(asked);
  times.sort((one, other) => one - other);
  const percentile = (part: number) => Math.round((times[Math.floor(times.length * part)] ?? 0) * 10) / 10;
  return {
    requests: times.length,
    p50_ms: percentile(0.5),
    p99_ms: percentile(0.99),
    max_ms: Math.round(times.at(-1) ?? 0),
  };
}

function pathOf(at: number, ids: readonly number[]): string {
  const id = ids[(at * 7_919) % ids.length];
  if (at % 10 === 9) return `/api/v1/passports?page=${1 + (at % 30)}`;
  return at % 2 === 0 ? `/api/v1/passports/${id}` : `/api/v1/passport_credentials?passport_id=${id}`;
}

async function ask(url: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url);
  await response.text();
  assert.equal(response.status, 200, url);
  return performance.now() - started;
}
