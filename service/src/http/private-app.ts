import Fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { findSchemaState } from "#store/migrations.ts";
import { findCurrentEpoch } from "#store/standing.ts";
import { VERSION } from "#version.ts";
import type { Deps } from "./deps.ts";
import { ageSeconds } from "./health.ts";
import { serverOptions } from "./server-options.ts";

/** The private port, for operators only: metrics, and health in detail. */
export async function buildPrivateApp(deps: Deps): Promise<FastifyInstance> {
  const { config, database, log, metrics, draining } = deps;
  const app = Fastify({ ...serverOptions(config), loggerInstance: log as FastifyBaseLogger });

  app.get("/metrics", async (_request, reply) =>
    reply.header("content-type", metrics.registry.contentType).send(await metrics.registry.metrics()),
  );

  app.get("/health", async (_request, reply) => {
    const [epoch, schema] = await Promise.allSettled([findCurrentEpoch(database), findSchemaState(database)]);
    const ready = epoch.status === "fulfilled" && !draining();
    return reply.code(ready ? 200 : 503).send({
      ready,
      draining: draining(),
      version: VERSION,
      uptime_seconds: Math.round(process.uptime()),
      standing:
        epoch.status === "fulfilled"
          ? { ...epoch.value, age_seconds: ageSeconds(epoch.value) }
          : { error: String(epoch.reason.message) },
      schema: schema.status === "fulfilled" ? schema.value : { error: String(schema.reason.message) },
      database: { open: database.totalCount, idle: database.idleCount, awaited: database.waitingCount },
      deprecated_at: config.deprecatedAt,
      sunset_at: config.sunsetAt,
    });
  });
  return app;
}
