import { type Finding, problem } from "#core/terminal/check.ts";
import { isFromCache, type Reply, readJson } from "./send.ts";
import { pageUrl, randomPage, type Site } from "./site.ts";

/** The finding that no node answers behind the proxy; null if one does, or if that cannot be seen. */
export async function findSilence(site: Site): Promise<Finding | null> {
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
