import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/database/database.ts";
import type { Finding } from "#core/terminal/check.ts";
import { formatNumber } from "#core/terminal/output.ts";
import { suggestPrefixes } from "#usage/suggest-prefixes.ts";
import { findRecentPaths, findRefusedClients, findUnknownKeyUse } from "./usage-reports.ts";

/** Today and yesterday. */
const USAGE_DAYS = 2;
const USAGE_NOT_READABLE: Finding = {
  state: "ok",
  finding: "not checked: this role may not read usage, and does not need to",
};

export async function checkUnknownKeys(database: Database): Promise<Finding> {
  const use = await findUnknownKeyUse(database, USAGE_DAYS);
  if (use === null) return USAGE_NOT_READABLE;
  const { refused, accepted } = use;
  if (refused + accepted === 0) return { state: "ok", finding: "no request with an unknown key since yesterday" };
  const adopt = "`credence usage unknown-keys` lists them, and `credence keys adopt --seen PREFIX` accepts one.";
  return {
    state: "warning",
    finding: `requests with unknown keys since yesterday: ${formatNumber(refused)} refused, ${formatNumber(accepted)} accepted in open mode`,
    advice: accepted > 0 ? `${adopt} When no known client needs another one, set AUTH_MODE to optional.` : adopt,
  };
}

/** Requests to V1 under a path that is not served. */
export async function checkOtherPaths(database: Database, { v1AlsoAt }: Pick<Config, "v1AlsoAt">): Promise<Finding> {
  const paths = await findRecentPaths(database, USAGE_DAYS);
  if (paths === null) return USAGE_NOT_READABLE;
  const { others, setting } = suggestPrefixes(
    paths.map(({ name, requests }) => ({ path: name, requests })),
    v1AlsoAt,
  );
  if (setting === null) return { state: "ok", finding: "no request to V1 under another path since yesterday" };
  const counts = others.map(({ prefix, requests }) => `${formatNumber(requests)} under ${prefix}`);
  return {
    state: "warning",
    finding: `requests to V1 under other paths since yesterday: ${counts.join(", ")}`,
    advice: `${setting} answers them. \`credence usage --by path\` lists all paths.`,
  };
}

const REFUSED_DAYS = 7;

/** Keys whose requests were refused on the endpoints that have filters. Of the rest, 404 is not one of them. */
export async function checkFilters(database: Database): Promise<Finding> {
  const clients = await findRefusedClients(database, REFUSED_DAYS);
  if (clients === null) return USAGE_NOT_READABLE;
  if (clients.length === 0) return { state: "ok", finding: "no key was refused on lists in the last 7 days" };
  const listed = clients.map(({ client, requests }) => `${client} (${formatNumber(requests)})`).join(", ");
  return {
    state: "warning",
    finding: `requests for lists with these keys were refused in the last 7 days: ${listed}`,
    advice:
      "They ask for filters that V1 does not have, or with another method than GET. `credence usage --by parameter` shows names; tell the owners of the keys.",
  };
}
