import { type Check, type Finding, notChecked, problem } from "#core/terminal/check.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { checkCache } from "./check-caching.ts";
import { checkCompression, checkConditional } from "./check-encodings.ts";
import { checkHeaders, checkPreflight, checkPublicUrl, checkRequestId } from "./check-headers.ts";
import { checkClock, checkDataAge, checkReadiness, checkVersion, type Health, readHealth } from "./check-health.ts";
import { checkKeys } from "./check-keys.ts";
import { checkOtherPaths } from "./check-other-paths.ts";
import { checkHsts, checkRedirect } from "./check-plain-http.ts";
import { checkPrivatePort } from "./check-private-port.ts";
import { checkTls } from "./check-tls.ts";
import { checkV1 } from "./check-v1.ts";
import { requestFailed } from "./finding-texts.ts";
import { createSend, isFromCache, type Reply, readJson } from "./send.ts";
import { openSite, pageUrl, randomPage, type Site, type Target, type V1State } from "./site.ts";

/**
 * Checks a deployment with about 30 requests, as a client sees it. Ends after the first checks if
 * the URL does not lead to Credence, or if no node answers: then the proxy shows nothing but that.
 */
export async function diagnoseDeployment(target: Target): Promise<Check[]> {
  const send = createSend();
  let site: Site;
  try {
    site = await openSite(target, send);
    const silence = await findSilence(site);
    if (silence !== null) return [toCheck("node", silence)];
  } catch (error) {
    return [toCheck("connection", requestFailed(error))];
  }
  const checks: Check[] = [];
  const run = async (name: string, check: () => Finding | Promise<Finding>): Promise<void> => {
    try {
      checks.push(toCheck(name, await check()));
    } catch (error) {
      checks.push(toCheck(name, requestFailed(error)));
    }
  };
  await run("v1", () => checkV1(site));
  await run("tls", () => checkTls(site));
  if (site.v1 === "other") return checks;
  for (const [name, check] of Object.entries(CHECKS)) await run(name, () => check(site));
  for (const [name, check] of Object.entries(CHECKS_OF_ANSWERS)) {
    await run(name, () => (site.v1 === "serving" ? check(site) : notChecked(NOT_SERVING[site.v1])));
  }
  // One request for all of these.
  const health = readHealth(site);
  // The first check below reports the failure; this handler only prevents an unhandled rejection.
  health.catch(() => {});
  for (const [name, check] of Object.entries(CHECKS_OF_HEALTH)) await run(name, async () => check(await health));
  return checks;
}

const CHECKS: Record<string, (site: Site) => Finding | Promise<Finding>> = {
  redirect: checkRedirect,
  hsts: checkHsts,
  headers: checkHeaders,
  "public url": checkPublicUrl,
  preflight: checkPreflight,
  "request id": checkRequestId,
  "private port": checkPrivatePort,
};

const CHECKS_OF_ANSWERS: Record<string, (site: Site) => Promise<Finding>> = {
  etag: checkConditional,
  compression: checkCompression,
  cache: checkCache,
  keys: checkKeys,
  "other paths": checkOtherPaths,
};

const CHECKS_OF_HEALTH: Record<string, (health: Health) => Finding> = {
  readiness: checkReadiness,
  version: checkVersion,
  "data age": checkDataAge,
  clock: checkClock,
};

/** The names of all checks, in order. */
export const CHECK_NAMES = ["v1", "tls", ...[CHECKS, CHECKS_OF_ANSWERS, CHECKS_OF_HEALTH].flatMap(Object.keys)];

const NOT_SERVING: Record<Exclude<V1State, "serving">, string> = {
  "key required": "V1 requires a key",
  brownout: "V1 is switched off by a brownout",
  gone: "V1 has ended",
  unavailable: "V1 is unavailable",
  other: "V1 does not respond",
};

/** Texts quote responses: no control character may get to a terminal. */
const toCheck = (name: string, { state, finding, advice }: Finding): Check => ({
  name,
  state,
  finding: printable(finding),
  ...(advice !== undefined && { advice: printable(advice) }),
});

/** The finding that no node answers behind the proxy; null if one does, or if that cannot be seen. */
async function findSilence(site: Site): Promise<Finding | null> {
  const { send, url, first } = site;
  // A URL that no cache has a response for.
  const health = await send(`${url}/health/ready?doctor=${crypto.randomUUID()}`);
  if (typeof readJson(health).ready === "boolean" && !isFromCache(health, first)) return null;
  // Credence responds to this path with `ready`, whatever its state: a proxy has sent this error.
  if (health.status >= 500) return describeSilence(site, "/health/ready", health);
  const page = await send(pageUrl(site, `page=${randomPage()}`));
  const isOfProxy = page.status >= 500 && readJson(page).code === undefined;
  return isOfProxy ? describeSilence(site, "a page of V1", page) : null;
}

const describeSilence = ({ v1 }: Site, what: string, { status }: Reply): Finding =>
  problem(
    `no node answers: ${what} gets ${status} from the proxy${v1 === "serving" ? ", and other responses are copies of its cache" : ""}`,
    "Start `credence serve`, or let the proxy forward to HOST and PORT of Credence. Then run this command again: nothing else was checked.",
  );
