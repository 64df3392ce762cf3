import type { FastifyInstance } from "fastify";
import { VERSION } from "#core/config/version.ts";
import type { Connection } from "#core/database/database.ts";
import { isDenied } from "#core/database/failures.ts";
import { type Content, JSON_TYPE } from "#core/http/respond/content.ts";
import { addRoute } from "#core/http/respond/respond.ts";
import { lifeCycle } from "#life-cycle/state-and-headers.ts";
import { type Epoch, findCurrentEpoch, findUnlistedSeconds } from "#list/epochs.ts";
import type { Deps } from "./deps.ts";

/** `unlisted_seconds`: how long changes of people wait to be listed; null if the role may not read it. */
type Standing = Epoch & { unlisted_seconds: number | null };
type Readiness = { ready: boolean; standing: Standing | { error: string } };
type ReadinessDeps = Pick<Deps, "config" | "readers" | "phase"> & Partial<Pick<Deps, "isSchemaCurrent" | "keyring">>;

/** The database is queried at most once in this time, however many readiness requests arrive. */
const CACHED_MS = 1_000;

/** The current epoch, cached for a second. */
function cacheEpoch({ readers }: Pick<Deps, "readers">): () => Promise<Standing> {
  let epoch: Promise<Standing> | null = null;
  let loadedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (epoch === null || performance.now() - loadedAt >= CACHED_MS) {
      loadedAt = performance.now();
      epoch = findStanding(readers.control);
      // Callers get the failure from `epoch`; this handler only prevents an unhandled rejection.
      epoch.catch(() => {});
    }
    return epoch;
  };
}

async function findStanding(connection: Connection): Promise<Standing> {
  const epoch = await findCurrentEpoch(connection);
  const seconds = await findUnlistedSeconds(connection).catch(() => null);
  return { ...epoch, unlisted_seconds: seconds === null ? null : Math.round(seconds) };
}

/**
 * A node is ready if it can read the standing, its schema is current, it knows the API keys, and it is
 * not stopping. After the sunset it needs no database to be ready. A right that its role lacks does not
 * make it unready: all nodes have this role, and the other features work.
 */
export function readinessOf({ config, readers, phase, isSchemaCurrent = () => true, keyring }: ReadinessDeps) {
  const findEpoch = cacheEpoch({ readers });
  const canRespond = () => isSchemaCurrent() && keyring?.isLoaded() !== false;
  return async (): Promise<Readiness> => {
    const isServing = phase() === "serving";
    if (lifeCycle(config, Date.now()).state === "gone") return { ready: isServing, standing: { error: "V1 is gone." } };
    try {
      const epoch = await findEpoch();
      const age_seconds = Math.round(epoch.age_seconds);
      return { ready: isServing && canRespond(), standing: { ...epoch, age_seconds } };
    } catch (error) {
      const ready = isDenied(error) && isServing && canRespond();
      return { ready, standing: { error: (error as Error).message } };
    }
  };
}

/**
 * For load balancers and people: yes or no, the version, the age of the data. Nothing for
 * attackers.
 */
export function health(app: FastifyInstance, deps: Deps): void {
  const findReadiness = readinessOf(deps);
  addRoute(app, "/health/live", deps.responder, () => report(200, { live: true, version: VERSION }));
  addRoute(app, "/health/ready", deps.responder, async () => {
    const { ready, standing } = await findReadiness();
    const { age_seconds = null, unlisted_seconds = null } = "error" in standing ? {} : standing;
    return report(ready ? 200 : 503, { ready, version: VERSION, data_age_seconds: age_seconds, unlisted_seconds });
  });
}

const report = (status: number, body: unknown): Content => ({
  status,
  body: JSON.stringify(body),
  type: JSON_TYPE,
  caching: "no-store",
  isV1: false,
});
