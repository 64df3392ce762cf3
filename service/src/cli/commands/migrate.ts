import { Command } from "commander";
import { Failure } from "#cli/terminal/failure.ts";
import { printCount, printResult, say } from "#cli/terminal/output.ts";
import { grantServing } from "#operations/access/grant-serving.ts";
import { configured, requireUtf8, withAnyDatabase, withDatabase } from "#process/connect.ts";
import type { Database } from "#store/engine/database.ts";
import { migrate } from "#store/engine/migrations.ts";

export const migrateCommand = (): Command =>
  new Command("migrate")
    .description("bring the database's schema up to date")
    .option("--serve-role <name>", "also give this role exactly the rights that `serve` needs")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Runs with the role that owns the tables. It is safe to run at any time, and by several at once: the others wait.

Examples:
  $ credence migrate
  $ psql -c "create role credence_serve login password '…'" && credence migrate --serve-role credence_serve`,
    )
    .action(async (options: { serveRole?: string; json?: boolean }) => {
      const { databaseUrl } = configured();
      await withAnyDatabase(databaseUrl, "migrate", requireUtf8);
      const applied = await withAnyDatabase(databaseUrl, "migrate", () => migrate(databaseUrl));
      if (applied.length > 0) say(`Applied ${printCount(applied.length, "migration")}: ${applied.join(", ")}.`);
      const role = options.serveRole ?? null;
      if (role !== null) await withDatabase(databaseUrl, "migrate", (database) => grant(database, role));
      printResult(
        options.json ?? false,
        { applied, serve_role: role },
        [
          "The schema is up to date.",
          ...(role === null
            ? []
            : [
                `The role ${role} may serve: of our tables it reads documents, wallet owners, the standing, the hashes of keys, the schema's version, and times in the queue of recalculations. docs/OPERATIONS.md lists its rights.`,
              ]),
        ].join("\n"),
      );
    });

async function grant(database: Database, role: string): Promise<void> {
  const outcome = await grantServing(database, role);
  if (outcome === "granted, with temporary tables") {
    say(
      `The role ${role} may still make temporary tables. As the owner of the database: revoke temporary on database NAME from public;`,
    );
  }
  if (outcome === "no such role") {
    const quoted = `"${role.replaceAll('"', '""')}"`;
    throw new Failure(`There is no role named ${quoted}.`, `Make it first: create role ${quoted} login password '…';`);
  }
  if (outcome === "too privileged") {
    throw new Failure(
      `The role ${role} owns the tables or is a superuser: no right can be taken from it.`,
      "Make a role of its own for serving, and name that.",
    );
  }
}
