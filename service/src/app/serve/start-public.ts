import { setTimeout as delay } from "node:timers/promises";
import type { Registry } from "@prometheus-io/client";
import type { Logger } from "pino";
import type { Config } from "#core/config/config.ts";
import { createTrustCheck } from "#core/http/connections/client-network.ts";
import { closeWhenIdle, stopListening } from "#core/http/connections/closing.ts";
import { limitConnections } from "#core/http/connections/connection-limits.ts";
import { createSecurityEventLog } from "#core/http/connections/security-events.ts";
import { findUntrustedProxy, type UntrustedProxy } from "#core/http/connections/untrusted-proxy.ts";
import { createLimiter } from "#core/http/limits/limiter.ts";
import { createRateLimits } from "#core/http/limits/rate-limits.ts";
import { createMetrics } from "#core/http/metrics/metrics.ts";
import { requestRecorder } from "#core/http/respond/record.ts";
import { createResponder } from "#core/http/respond/respond.ts";
import type { Readers } from "#core/readers/choose-reader.ts";
import { createErrorContent } from "#explorer/site/error-page.ts";
import { prepareSite } from "#explorer/site/site.ts";
import type { DemoWallet } from "#holders/proof/create-wallet.ts";
import { isHolderPath } from "#holders/serve/holder-path.ts";
import { openSignatureChecks } from "#holders/serve/signature-checks.ts";
import { createKeyCounts } from "#keys/serve/key-metrics.ts";
import { openKeyring } from "#keys/serve/keyring.ts";
import { trackLifeCycle } from "#life-cycle/state-and-headers.ts";
import { maskPath } from "#usage/serve/mask-path.ts";
import { createUsageCounter, type UsageCounter } from "#usage/serve/usage-counter.ts";
import { createAnswers } from "#v1/answers/answers.ts";
import { createAnswerCache } from "#v1/cache/answer-cache.ts";
import { observeCache } from "#v1/cache/cache-metrics.ts";
import { invalidateOnChange } from "#v1/cache/invalidate-on-change.ts";
import { PREFER } from "#v1/demo-errors.ts";
import { countUnknownPaths } from "#v1/unknown-paths.ts";
import { buildApp } from "./app.ts";
import type { Phase } from "./deps.ts";

export type RunningPublic = {
  /** The URL of the public port. */
  address: string;
  phase: () => Phase;
  registry: Registry;
  untrustedProxy: UntrustedProxy;
  /**
   * Fails readiness; after the delay closes the port, responds to open requests, and closes
   * connections.
   */
  stop: (drainDelayMs: number) => Promise<void>;
};

export type StartDeps = {
  config: Config;
  readers: Readers;
  log: Logger;
  /** False until the schema of the database was checked: the node is not ready. */
  isSchemaCurrent?: () => boolean;
  usage?: UsageCounter;
  demoWallet?: DemoWallet | null;
};

/**
 * Connections that wait to be accepted. Linux drops further ones, and they are tried again after a
 * second, when nginx has given up. Node's default is 511.
 */
const BACKLOG = 4_096;
/** Idle connections stay open for this time after the port is closed. */
const LINGER_MS = 1_000;

/** Opens the public port. */
export async function startPublic({
  config,
  readers,
  log,
  isSchemaCurrent = () => true,
  usage = createUsageCounter(),
  demoWallet = null,
}: StartDeps): Promise<RunningPublic> {
  let phase: Phase = "serving";
  const [keyring, signatures] = await Promise.all([
    openKeyring(readers.control, log),
    openSignatureChecks(config.holderRequests !== "off"),
  ]);
  const { replica } = readers;
  const cache = createAnswerCache({
    maxBytes: config.cacheMaxBytes,
    maxAgeMs: config.cacheMaxAgeMs,
    lagMs: () => (replica?.isUsed() ? replica.maxLagMs : 0),
  });
  const readsReplica = () => replica?.isUsed() ?? false;
  const listener = invalidateOnChange(cache, keyring, readers.primary.pools.control, log, readsReplica);
  const close = () => {
    listener.close();
    keyring.close();
  };
  const report = createSecurityEventLog(log);
  const connections = limitConnections({
    maxConnections: config.maxConnections,
    maxPerNetwork: config.maxConnectionsPerAddress,
    onRefused: (address) => report("connections of one address were refused", { address }),
    isTrusted: createTrustCheck(config.trustedProxies),
  });
  const limits = createRateLimits(config, createLimiter());
  const untrustedProxy = findUntrustedProxy(config.trustedProxies);
  const answers = createAnswers(cache, readers);
  const queues = () => [...readers.queues(), ...answers.queues(), signatures.queue()];
  const metrics = createMetrics(readers, queues, connections.counts, limits, listener.isConnected);
  observeCache(cache, metrics.registry);
  const keyCounts = createKeyCounts(metrics.registry);
  const countUnknownPath = countUnknownPaths(metrics.registry);
  const lifeCycle = trackLifeCycle(config);
  const site = prepareSite(config);
  const responder = createResponder({
    errorContentOf: createErrorContent(config, site, lifeCycle, isHolderPath),
    authMode: config.authMode,
    alsoVary: config.isDemo ? PREFER : null,
    lifeCycle,
    record: requestRecorder(metrics, usage.count, log),
    observe: metrics.observeRequest,
    onFailure: (error) => log.error({ err: error }, "cannot send a response"),
    isClosing: () => phase === "closing",
  });
  const deps = {
    config,
    readers,
    connections,
    limits,
    untrustedProxy,
    log,
    keyring,
    keyCounts,
    lifeCycle,
    responder,
    isSchemaCurrent,
    site,
    signatures,
    demoWallet,
    onUnknownPath: (path: string) => {
      countUnknownPath(path);
      usage.countUnknownPath(maskPath(path));
    },
    answers,
    phase: () => phase,
  };
  const app = await buildApp(deps).catch((error) => {
    close();
    throw error;
  });
  try {
    const address = await app.listen({ host: config.host, port: config.port, backlog: BACKLOG });
    const stop = async (drainDelayMs: number) => {
      phase = "draining";
      await delay(drainDelayMs);
      phase = "closing";
      stopListening(app.server);
      // A client that sends another request in this time gets its response with `Connection:
      // close`.
      await delay(Math.min(drainDelayMs, LINGER_MS));
      await closeWhenIdle(app, connections.closeUnused);
      await signatures.close();
      close();
    };
    return { address, phase: () => phase, registry: metrics.registry, untrustedProxy, stop };
  } catch (error) {
    close();
    await app.close();
    throw error;
  }
}
