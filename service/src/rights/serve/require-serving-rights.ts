import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "#core/config/config.ts";
import type { Connection } from "#core/database/database.ts";
import { isInRecovery } from "#core/database/wrong-server.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { findRoleRights, preventsLookUps, type RoleRights } from "#rights/serving-rights.ts";

/** `credence migrate --serve-role` creates the tables of a new database first, and then grants the rights. */
const LOOK_AGAIN_MS = 2_000;

/** A role without any rights lacks about 40. */
const MAX_NAMED = 3;

const summarize = (rights: readonly string[]): string =>
  `${rights.slice(0, MAX_NAMED).join(", ")}${rights.length > MAX_NAMED ? ` and ${rights.length - MAX_NAMED} more` : ""}`;

const adviceFor = (role: string): string => `As the owner of the tables, run: credence migrate --serve-role ${role}`;

/**
 * Refuses a role with which no look-up can be answered, and returns its rights. Another attempt cannot
 * succeed, so the exit code is that of a wrong configuration, which units do not retry. A replica is
 * not judged: it may be behind a grant.
 */
export async function requireServingRights(
  connection: Connection,
  { authMode }: Pick<Config, "authMode">,
): Promise<RoleRights> {
  for (let look = 1; ; look += 1) {
    const rights = await findRoleRights(connection);
    if (!preventsLookUps(rights.missing, authMode) || (await isInRecovery(connection))) return rights;
    if (look === 1) {
      await delay(LOOK_AGAIN_MS);
      continue;
    }
    const message = `The role "${printable(rights.role)}" cannot serve: it may not ${summarize(rights.missing)}.`;
    throw new Failure(message, adviceFor(rights.role), EXIT.usage);
  }
}

/** Logs other rights that are missing, and that the role can do more than a server should. */
export function warnOfRights(log: Logger, { role, missing, excess, isSuperuser }: RoleRights): void {
  if (missing.length > 0) {
    log.warn({ role, missing, advice: adviceFor(role) }, "the role lacks rights: what needs them responds with 503");
  }
  if (isSuperuser || excess.some((right) => right.startsWith("write "))) {
    log.warn({ role }, "the role can change all data: serve with another role, see credence migrate --serve-role");
  }
}
