import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { inventPopulation } from "#demo/invent/population.ts";
import {
  blockImport,
  refuseOverload,
  runCredence,
  startServer,
  waitFor,
  withProofDatabase,
  withProofFolder,
} from "./harness.ts";

const REQUESTS_PER_SECOND = 100;
/** The minimum before and during the import, which is blocked until then. */
const MIN_REQUESTS = 300;

/** V1 answers all requests during an import. Measures the latency. */
export function proveReadsDuringImport(people: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url, database }) => {
      const some = join(folder, "some");
      const all = join(folder, "all");
      // Import the requested people before the test.
      await runCredence(["generate", "--people", "1000", "--seed", "1", "--out", some]);
      await runCredence(["import", some], { DATABASE_URL: url });
      await runCredence(["generate", "--people", String(people), "--seed", "2", "--out", all]);
      const server = await startServer(url);
      try {
        const shown = listShown();
        const quiet = await measure(server.address, shown, (answered) => answered >= MIN_REQUESTS);
        const block = await blockImport(database, people);
        let ended = false;
        const importing = runCredence(["import", all, "--json"], { DATABASE_URL: url }).finally(() => {
          ended = true;
        });
        let requests = 0;
        const releasing = waitFor(
          `${MIN_REQUESTS} requests during the import`,
          () => requests,
          (count) => count >= MIN_REQUESTS || ended,
        ).then(block.release);
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

/** Lists the ids up to 1,000 that neither snapshot hides. They must always be found. */
function listShown(): number[] {
  const people = [1, 2].flatMap((seed) => [...inventPopulation(seed, 1_000)]);
  const hidden = new Set(people.filter(({ operator }) => operator?.hidden).map(({ passport }) => passport.passport_id));
  return Array.from({ length: 1_000 }, (_, index) => index + 1).filter((id) => !hidden.has(id));
}

/** Sends requests at a constant rate until `isOver` returns true for the number of responses. */
async function measure(address: string, ids: readonly number[], isOver: (answered: number) => boolean) {
  const times: number[] = [];
  const requests: Promise<unknown>[] = [];
  for (let index = 0; !isOver(times.length); index += 1) {
    requests.push(timeRequest(address + pathOf(index, ids)).then((ms) => times.push(ms)));
    await setTimeout(1_000 / REQUESTS_PER_SECOND);
  }
  await Promise.all(requests);
  times.sort((a, b) => a - b);
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

async function timeRequest(url: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url);
  await response.text();
  refuseOverload(response.status, url);
  assert.equal(response.status, 200, url);
  return performance.now() - started;
}
