import { type Finding, ok, problem } from "#core/terminal/check.ts";
import { type Reply, readJson } from "./send.ts";
import type { Site } from "./site.ts";

const isMetrics = ({ body }: Reply): boolean => /^# (TYPE|HELP) \w+/m.test(body);
const isDetailedHealth = (reply: Reply): boolean => {
  const { phase, uptime_seconds: uptime } = readJson(reply);
  return phase !== undefined && uptime !== undefined;
};

/** Metrics and detailed health are for operators only. */
export async function checkPrivatePort(
  site: Pick<Site, "send" | "url" | "isLocal" | "privatePort" | "origin">,
): Promise<Finding> {
  const { send, url, isLocal, privatePort, origin } = site;
  for (const [path, isPrivate] of [
    ["/metrics", isMetrics],
    ["/health", isDetailedHealth],
  ] as const) {
    if (isPrivate(await send(url + path))) {
      return problem(
        `${url}${path} is public`,
        `Forward public requests to PORT of Credence only: remove the location of the proxy that leads to PRIVATE_PORT.`,
      );
    }
  }
  if (isLocal) return ok("not public through this URL; the port itself is not checked on this machine");
  const address = `http://${origin.hostname}:${privatePort}`;
  const reply = await send(`${address}/metrics`).catch(() => null);
  if (reply === null || !/^# (TYPE|HELP) credence_/m.test(reply.body)) {
    return ok(`metrics are not public, neither through this URL nor on port ${privatePort}`);
  }
  return problem(
    `${address}/metrics is public`,
    "Set PRIVATE_HOST of Credence to 127.0.0.1, or block the port in the firewall.",
  );
}
