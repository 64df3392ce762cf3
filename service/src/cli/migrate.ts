import { Command } from "commander";
import { grantServing } from "#operations/grant-serving.ts";
import { refreshStanding } from "#operations/refresh-standing.ts";
import type { Database } from "#store/database.ts";
import { migrate } from "#store/migrations.ts";
import { findCurrentEpoch } from "#store/standing.ts";
import { configured, requireUtf8, withAnyDatabase, withDatabase } from "./connect.ts";
import { Failure } from "./failure.ts";
import { printCount, printResult, say } from "./output.ts";

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
      const applied = await migrate(databaseUrl);
      if (applied.length > 0) say(`Applied ${printCount(applied.length, "migration")}: ${applied.join(", ")}.`);
      await withDatabase(databaseUrl, "migrate", refreshIfOutdated);
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
                `The role ${role} may serve: of our tables it reads documents, wallet owners, the standing, the hashes of keys, the schema's version, and times in the queue of recalculations.`,
              ]),
        ].join("\n"),
      );
    });

/** What a migration leaves in place of the change that a list was built after. */
const OUTDATED = -1;

/** A migration may ask for a list of a new kind; a list of nobody is good as it is. */
async function refreshIfOutdated(database: Database): Promise<void> {
  const { total, people_change } = await findCurrentEpoch(database);
  if (total === 0 || people_change !== OUTDATED) return;
  say("Building the list anew, as this version searches it in another way …");
  const refreshed = await refreshStanding(database);
  if (refreshed === null) say("Another process is at it already.");
}

async function grant(database: Database, role: string): Promise<void> {
  const outcome = await grantServing(database, role);
  if (outcome === "no such role") {
    const quoted = `"${role.replaceAll('"', '""')}"`;
    throw new Failure(`There is no role named ${quoted}.`, `Make it first: create role ${quoted} login password '…';`);
  }
  if (outcome === "too mighty") {
    throw new Failure(
      `The role ${role} owns the tables or is a superuser: no right can be taken from it.`,
      "Make a role of its own for serving, and name that.",
    );
  }
}
