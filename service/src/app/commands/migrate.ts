import { Command } from "commander";
import type { Database } from "#core/database/database.ts";
import { migrate } from "#core/database/migrations.ts";
import { revokeCreation } from "#core/database/revoke-creation.ts";
import { requireConfig, requireUtf8, withAnyDatabase, withDatabase } from "#core/process/connect.ts";
import { requireManagingRole } from "#core/process/require-role.ts";
import { Failure } from "#core/terminal/failure.ts";
import { formatCount, formatLines, printMessage, printResult } from "#core/terminal/output.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { grantServing } from "#rights/manage/replace-rights.ts";

export const migrateCommand = (terminal: Terminal): Command =>
  new Command("migrate")
    .description("update the schema of the database")
    .option("--serve-role <name>", "also grant this role exactly the privileges that `serve` needs")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Run it with the role that owns the tables. It is safe to run at any time. Concurrent runs wait for each other.

Examples:
  $ credence migrate
  $ psql -c "create role credence_serve login password '…'" && credence migrate --serve-role credence_serve`,
    )
    .action(async (options: { serveRole?: string; json?: boolean }) => {
      const { databaseUrl } = requireConfig(terminal);
      const role = options.serveRole ?? null;
      if (role !== null) await revokeCreation(databaseUrl, role);
      const applied = await withAnyDatabase(terminal, "migrate", async (database) => {
        await requireUtf8(database);
        await requireManagingRole(database, "migrate");
        return migrate(databaseUrl);
      });
      if (applied.length > 0)
        printMessage(terminal, `Applied ${formatCount(applied.length, "migration")}: ${applied.join(", ")}.`);
      if (role !== null) await withDatabase(terminal, "migrate", (database) => grant(terminal, database, role));
      printResult(
        terminal,
        options.json,
        { applied, serve_role: role },
        formatLines(
          "The schema is up to date.",
          role !== null &&
            `The role ${role} can serve. It can read stored answers, wallet owners, the list, hashes of keys and the schema version. docs/reference/serving-role.md lists its privileges.`,
        ),
      );
    });

async function grant(terminal: Terminal, database: Database, role: string): Promise<void> {
  const outcome = await grantServing(database, role);
  if (outcome === "granted, with temporary tables") {
    printMessage(
      terminal,
      `The role ${role} can still create temporary tables. Run as the owner of the database: revoke temporary on database NAME from public;`,
    );
  }
  if (outcome === "no such role") {
    const quoted = `"${role.replaceAll('"', '""')}"`;
    throw new Failure(
      `The role ${quoted} does not exist.`,
      `Create it first: create role ${quoted} login password '…';`,
    );
  }
  if (outcome === "too privileged") {
    throw new Failure(
      `The role ${role} owns the tables or is a superuser: its privileges cannot be restricted.`,
      "Create a separate role for serving, and name it with --serve-role.",
    );
  }
}
