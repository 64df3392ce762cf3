import { type Finding, ok, problem } from "#core/terminal/check.ts";
import { type Reply, readJson } from "./send.ts";
import { pageOf, type Site } from "./site.ts";

/** Whether the proxy treats the paths of V1_ALSO_AT as it treats /api/v1. */
export async function checkOtherPaths({ send, url }: Site): Promise<Finding> {
  const { also_at } = readJson(await send(`${url}/deprecation.json`));
  const others = Array.isArray(also_at) ? also_at.filter((path) => typeof path === "string") : [];
  if (others.length === 0) return ok("V1 is at /api/v1 only");
  // nginx itself refuses broken percent-encoding with 400, except under the paths in its configuration.
  const malformed = (prefix: string) => send(`${url}${prefix}/passports/doctor-%`);
  const expected = describe(await malformed("/api/v1"));
  for (const prefix of others) {
    const list = await send(`${url}${prefix}/passports`);
    if (pageOf(list) !== 1) {
      return problem(`${prefix}/passports gets ${describe(list)}`, `Let the proxy forward ${prefix} to Credence.`);
    }
    const found = describe(await malformed(prefix));
    if (found === expected) continue;
    return problem(
      `a malformed id gets ${found} under ${prefix}, but ${expected} under /api/v1`,
      `Name ${prefix} in the configuration of the proxy: for nginx in the maps $credence_is_v1 and $credence_malformed_id of credence.conf; with compose in V1_ALSO_AT of credence.env.`,
    );
  }
  return ok(`V1 is also at ${others.join(", ")}, with the same responses`);
}

function describe(reply: Reply): string {
  const { code } = readJson(reply);
  return typeof code === "string" ? `${reply.status} ${code}` : String(reply.status);
}
