import { Command } from "commander";
import { grantServing } from "#operations/grant-serving.ts";
import { migrate } from "#store/migrations.ts";
import { configured, withDatabase } from "./connect.ts";
import { Failure } from "./failure.ts";
import { printCount, printResult } from "./output.ts";

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
      const applied = await migrate(databaseUrl);
      const role = options.serveRole ?? null;
      if (role !== null) await withDatabase(databaseUrl, "migrate", (database) => grant(database, role));
      printResult(
        options.json ?? false,
        { applied, serve_role: role },
        [
          applied.length === 0
            ? "The schema is up to date."
            : `Applied ${printCount(applied.length, "migration")}: ${applied.join(", ")}.`,
          ...(role === null
            ? []
            : [`The role ${role} may serve: it reads documents and the standing, and nothing else.`]),
        ].join("\n"),
      );
    });

async function grant(database: Parameters<typeof grantServing>[0], role: string): Promise<void> {
  if (await grantServing(database, role)) return;
  throw new Failure(`There is no role named ${role}.`, `Make it first: create role "${role}" login password '…';`);
}
