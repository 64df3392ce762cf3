import { Registry } from "@prometheus-io/client";
import Fastify, { type FastifyInstance } from "fastify";
import { showSettings } from "#core/config/shown-settings.ts";
import { VERSION } from "#core/config/version.ts";
import { findSchemaState } from "#core/database/migrations.ts";
import { closeWhenIdle } from "#core/http/connections/closing.ts";
import { serverOptions } from "#core/http/connections/server-options.ts";
import { lifeCycle } from "#life-cycle/state-and-headers.ts";
import type { Deps } from "./deps.ts";
import { readinessOf } from "./health.ts";

export type PrivateDeps = Pick<Deps, "config" | "readers" | "log" | "phase" | "untrustedProxy"> &
  Partial<Pick<Deps, "isSchemaCurrent">> & {
    /** In the Prometheus text format. */
    readMetrics: () => Promise<string>;
  };

/** The private port, for operators only: metrics, health in detail, and settings for `credence status`. */
async function buildPrivateApp(deps: PrivateDeps): Promise<FastifyInstance> {
  const { config, readers, log, phase, untrustedProxy } = deps;
  const findReadiness = readinessOf(deps);
  const app = Fastify(serverOptions(config));
  app.setErrorHandler((error, _request, reply) => {
    log.error({ err: error }, "request on the private port failed");
    return reply.code(500).send({ error: "Internal error. See the log." });
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: "Not found. This port has /metrics, /health and /settings." }),
  );

  app.get("/metrics", async (_request, reply) =>
    reply.header("content-type", Registry.PROMETHEUS_CONTENT_TYPE).send(await deps.readMetrics()),
  );

  app.get("/health", async (_request, reply) => {
    const { ready, standing } = await findReadiness();
    const schema = await findSchemaState(readers.control).catch((error: Error) => ({ error: error.message }));
    return reply.code(ready ? 200 : 503).send({
      ready,
      phase: phase(),
      version: VERSION,
      uptime_seconds: Math.round(process.uptime()),
      standing,
      schema,
      replica: readers.replica && { used: readers.replica.isUsed(), lag_ms: readers.replica.lagMs() },
      life_cycle: lifeCycle(config, Date.now()).state,
      deprecated_at: config.deprecatedAt,
      sunset_at: config.sunsetAt,
    });
  });
  app.get("/settings", (_request, reply) =>
    reply.send({
      version: VERSION,
      settings: showSettings(config),
      // Only whether they are set.
      secrets: { HOLDER_KEY: config.holderKeys.length > 0, DATABASE_READ_URL: config.databaseReadUrl !== null },
      untrusted_proxy: untrustedProxy.address(),
    }),
  );
  return app;
}

export type RunningPrivate = { address: string; close: () => Promise<void> };

/** Opens the operators' port. */
export async function startPrivate(deps: PrivateDeps): Promise<RunningPrivate> {
  const app = await buildPrivateApp(deps);
  const address = await app.listen({ host: deps.config.privateHost, port: deps.config.privatePort });
  return { address, close: () => closeWhenIdle(app, () => app.server.closeAllConnections()) };
}
