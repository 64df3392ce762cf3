import type { FastifyInstance } from "fastify";
import { type Epoch, findCurrentEpoch } from "#store/standing.ts";
import { VERSION } from "#version.ts";
import type { Deps } from "./deps.ts";

type Readiness = { ready: boolean; standing: (Epoch & { age_seconds: number }) | { error: string } };

/** Ready is who can read the standing and has not been asked to stop. */
export async function findReadiness({ readers, phase }: Pick<Deps, "readers" | "phase">): Promise<Readiness> {
  try {
    const epoch = await findCurrentEpoch(readers.connection);
    const age_seconds = Math.max(0, Math.round((Date.now() - epoch.built_at.getTime()) / 1000));
    return { ready: phase() === "serving", standing: { ...epoch, age_seconds } };
  } catch (error) {
    return { ready: false, standing: { error: (error as Error).message } };
  }
}

/** For load balancers and people: yes or no, which version, how old the list is. Nothing an attacker could use. */
export function health(app: FastifyInstance, deps: Deps): void {
  app.get("/health/live", async (_request, reply) =>
    reply.header("cache-control", "no-store").send({ live: true, version: VERSION }),
  );

  app.get("/health/ready", async (_request, reply) => {
    const { ready, standing } = await findReadiness(deps);
    const data_age_seconds = "error" in standing ? null : standing.age_seconds;
    return reply
      .code(ready ? 200 : 503)
      .header("cache-control", "no-store")
      .send({ ready, version: VERSION, data_age_seconds });
  });
}
