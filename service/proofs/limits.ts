import assert from "node:assert/strict";
import fc from "fast-check";
import { VARIABLES } from "#core/config/config.ts";
import { WINDOW_MS } from "#core/http/limits/bucket.ts";
import { simulateNode } from "#testing/limited-node.ts";

const LIMIT = Number(VARIABLES.RATE_LIMIT_ANONYMOUS);
const MS_PER_POINT = WINDOW_MS / LIMIT;
const DURATION_MS = 600_000;
const STEP_MS = 20;

/**
 * Clients within their limit, in ten minutes of simulated time: bursts up to the limit, then its
 * rate, pauses in between. No request is refused, with one process and with four.
 */
export function proveLimits(clients: number) {
  return { clients, one_process: run(clients, 1), four_processes: run(clients, 4) };
}

type Client = { address: string; drainedAt: number; nextAt: number };

function run(clients: number, processes: number) {
  const node = simulateNode(processes);
  const random = randomNumbers(clients + processes);
  const all: Client[] = Array.from({ length: clients }, (_, index) => ({
    address: `10.0.${index >> 8}.${index & 255}`,
    drainedAt: 0,
    nextAt: random() * WINDOW_MS,
  }));
  let requests = 0;
  for (let time = 0; time < DURATION_MS; time += STEP_MS) {
    for (const client of all) {
      while (client.nextAt <= time) {
        const at = time;
        const points = [1, 2, 4, 10][Math.floor(random() * 4)] as number;
        const cost = points * MS_PER_POINT;
        const drainedAt = Math.max(client.drainedAt, at) + cost;
        if (drainedAt - at > WINDOW_MS) {
          // Over its limit: waits, or pauses.
          client.nextAt = random() < 0.02 ? at + random() * 2 * WINDOW_MS : drainedAt - WINDOW_MS;
          continue;
        }
        node.advanceTo(at);
        const limiter = node.limiters[Math.floor(random() * processes)];
        const { waitMs } = limiter?.admit({ address: client.address }, points, LIMIT) ?? { waitMs: -1 };
        // Sums of fractions differ in the last bits.
        assert.ok(waitMs >= 0 && waitMs < 1e-6, `refused at ${at} for ${waitMs} ms`);
        requests += 1;
        client.drainedAt = drainedAt;
        client.nextAt = at;
      }
    }
  }
  return { requests, refused: 0 };
}

function randomNumbers(seed: number): () => number {
  const values = fc.sample(fc.double({ min: 0, max: 0.999_999, noNaN: true }), { numRuns: 10_007, seed });
  let at = 0;
  return () => {
    at = (at + 1) % values.length;
    return values[at] as number;
  };
}
