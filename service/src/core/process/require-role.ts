import type { Database } from "#core/database/database.ts";
import { findManagingRole } from "#core/database/role.ts";
import { isInRecovery } from "#core/database/wrong-server.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import { printable } from "#core/terminal/unprintable.ts";

/**
 * Refuses a role that cannot do the work of a command, such as that of a server. Another attempt
 * cannot succeed, so the exit code is that of a wrong configuration, which units do not retry. A
 * replica and a schema that is not migrated are no fault of the role: what follows reports them.
 */
export async function requireManagingRole(
  database: Database,
  command: "migrate" | "work" | "import" | "decisions import",
): Promise<void> {
  if (await isInRecovery(database)) return;
  const { role, database: name, owner, isOwner, writes, creates } = await findManagingRole(database);
  if (owner === null) {
    if (creates || command !== "migrate") return;
    throw new Failure(
      `The role "${printable(role)}" may not create tables in the database "${printable(name)}".`,
      `Set \`DATABASE_URL\` to the role that is to own the tables, not to that of \`serve\`. That role needs the database: alter database "${printable(name)}" owner to ROLE`,
      EXIT.usage,
    );
  }
  if (command === "migrate" ? isOwner : writes) return;
  throw new Failure(
    `The role "${printable(role)}" may not ${command === "migrate" ? "change" : "write"} the tables.`,
    `Run \`credence ${command}\` with the role that owns them in \`DATABASE_URL\`: "${printable(owner)}".`,
    EXIT.usage,
  );
}
