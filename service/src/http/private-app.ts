import Fastify, { type FastifyInstance } from "fastify";
import { findSchemaState } from "#store/migrations.ts";
import { VERSION } from "#version.ts";
import type { Deps } from "./deps.ts";
import { findReadiness } from "./health.ts";
import { quiet } from "./log.ts";
import { serverOptions } from "./server-options.ts";

/** The private port, for operators only: metrics, and health in detail. */
export async function buildPrivateApp(deps: Deps): Promise<FastifyInstance> {
  const { config, database, log, metrics, phase } = deps;
  const app = Fastify({ ...serverOptions(config), loggerInstance: quiet(log) });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "Only /metrics and /health are here." }));

  app.get("/metrics", async (_request, reply) =>
    reply.header("content-type", metrics.registry.contentType).send(await metrics.registry.metrics()),
  );

  app.get("/health", async (_request, reply) => {
    const { ready, standing } = await findReadiness(deps);
    const schema = await findSchemaState(database).catch((error: Error) => ({ error: error.message }));
    return reply.code(ready ? 200 : 503).send({
      ready,
      phase: phase(),
      version: VERSION,
      uptime_seconds: Math.round(process.uptime()),
      standing,
      schema,
      database: { open: database.totalCount, idle: database.idleCount, awaited: database.waitingCount },
      deprecated_at: config.deprecatedAt,
      sunset_at: config.sunsetAt,
    });
  });
  return app;
}
