import type { FastifyInstance } from "fastify";
import { type Epoch, findCurrentEpoch } from "#store/standing.ts";
import { VERSION } from "#version.ts";
import type { Deps } from "./deps.ts";

export const ageSeconds = (epoch: Epoch): number =>
  Math.max(0, Math.round((Date.now() - epoch.built_at.getTime()) / 1000));

/** For load balancers and people: yes or no, which version, how old the list is. Nothing an attacker could use. */
export function health(app: FastifyInstance, { database, draining }: Deps): void {
  app.get("/health/live", async (_request, reply) =>
    reply.header("cache-control", "no-store").send({ live: true, version: VERSION }),
  );

  app.get("/health/ready", async (_request, reply) => {
    reply.header("cache-control", "no-store");
    const epoch = await findCurrentEpoch(database).catch(() => null);
    const ready = epoch !== null && !draining();
    return reply
      .code(ready ? 200 : 503)
      .send({ ready, version: VERSION, data_age_seconds: epoch === null ? null : ageSeconds(epoch) });
  });
}
