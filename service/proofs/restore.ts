import assert from "node:assert/strict";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Database, openDatabase } from "#core/database/database.ts";
import { migrate } from "#core/database/migrations.ts";
import { openDecisions, readDecisions } from "#decisions/file.ts";
import { exportDecisions } from "#decisions/keep-file.ts";
import { findState } from "#decisions/ledger.ts";
import { uniteDecisions } from "#decisions/unite.ts";
import { erase, hide } from "#testing/decide.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { type Cluster, runProgram, startCluster, startPrimary } from "./clusters.ts";
import { runCredence, waitFor, withProofFolder } from "./harness.ts";

/** What is done to these people: before the last archived segment, or after it. */
const [HIDDEN, ERASED, HIDDEN_LATER] = [11, 12, 13];

/**
 * The drill of docs/reference/backups.md with pgBackRest: a full backup, changes, the loss of the disk, a
 * restore to the end of the archive, and the file of decisions. Needs pgbackrest.
 */
export function proveRestore(people: number) {
  return withProofFolder(async (folder) => {
    await chmod(folder, 0o777);
    const repository = join(folder, "repository");
    const configuration = join(folder, "pgbackrest.conf");
    const pgbackrest = (...args: string[]) =>
      runProgram("pgbackrest", [`--config=${configuration}`, "--stanza=credence", ...args]);
    const settings = [
      `unix_socket_directories = '${folder}'`,
      "archive_mode = on",
      `archive_command = 'pgbackrest --config=${configuration} --stanza=credence archive-push %p'`,
      "archive_timeout = 60",
    ];
    let cluster = await startPrimary(folder, settings);
    const writeConfiguration = () => writeFile(configuration, configurationOf(folder, repository, cluster));
    try {
      await mkdir(repository, { mode: 0o777 });
      await chmod(repository, 0o777);
      await writeConfiguration();
      await migrate(cluster.url);
      const snapshot = join(folder, "snapshot");
      await runCredence(["generate", "--people", String(people), "--out", snapshot]);
      await runCredence(["import", snapshot], { DATABASE_URL: cluster.url });
      await pgbackrest("stanza-create");
      await pgbackrest("check");
      const backUpSeconds = await measure(() => pgbackrest("--type=full", "backup"));

      const decisions = join(folder, "decisions.ndjson");
      await withDatabase(cluster, async (database) => {
        await hide(database, [HIDDEN]);
        await erase(database, [ERASED]);
        await archiveNow(database);
        // Not archived before the disk is lost.
        await hide(database, [HIDDEN_LATER]);
        await exportDecisions(database, decisions, [OPT_OUT_KEY]);
      });
      await cluster.stop();
      await rm(cluster.folder, { recursive: true });

      const restoreSeconds = await measure(async () => {
        await pgbackrest("restore");
        cluster = await startCluster(cluster.folder, [`unix_socket_directories = '${folder}'`]);
        await withDatabase(cluster, (database) =>
          waitFor(
            "the end of recovery",
            async () => !(await database.query("select pg_is_in_recovery() as is")).rows[0].is,
          ),
        );
      });
      return await withDatabase(cluster, async (database) => {
        assert.deepEqual(await listHidden(database), [HIDDEN], "What was archived is restored.");
        assert.equal((await findState(database, ERASED)).erased, true);
        const importSeconds = await measure(async () => {
          const keys = [OPT_OUT_KEY];
          const file = await readDecisions(openDecisions(decisions), keys);
          const options = { keys, restoreGraceMs: 72 * 3_600_000, dryRun: false, onProgress: () => {} };
          const { hidden } = await uniteDecisions(database, file, options);
          assert.deepEqual(hidden, [HIDDEN_LATER], "What was not archived comes from the file.");
        });
        assert.deepEqual(await listHidden(database), [HIDDEN, HIDDEN_LATER]);
        return {
          people,
          backUpSeconds,
          restoreSeconds,
          importSeconds,
          lost: "changes after the last archived segment",
        };
      });
    } finally {
      await cluster.stop();
    }
  });
}

const configurationOf = (folder: string, repository: string, { folder: data, port }: Cluster): string => `[global]
repo1-path=${repository}
repo1-retention-full=2
repo1-cipher-type=aes-256-cbc
repo1-cipher-pass=a secret of this proof
compress-type=zst
start-fast=y
archive-async=n
log-path=${folder}
lock-path=${folder}
log-level-console=off

[credence]
pg1-path=${data}
pg1-port=${port}
pg1-socket-path=${folder}
pg1-user=credence
pg1-database=postgres
`;

async function measure(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return Math.round((performance.now() - started) / 100) / 10;
}

async function withDatabase<Result>({ url }: Cluster, run: (database: Database) => Promise<Result>): Promise<Result> {
  const database = openDatabase({ url, name: "proof", maxConnections: 2, statementTimeoutMs: 0 });
  try {
    return await run(database);
  } finally {
    await database.end();
  }
}

/** Ends the current segment of the write-ahead log, and waits until it is archived. */
async function archiveNow(database: Database): Promise<void> {
  const { rows } = await database.query("select pg_walfile_name(pg_switch_wal()) as name");
  await waitFor("the archiving of a segment", async () => {
    await setTimeout(100);
    const { rows: found } = await database.query("select last_archived_wal >= $1 as is from pg_stat_archiver", [
      rows[0].name,
    ]);
    return found[0].is;
  });
}

const listHidden = async (database: Database): Promise<number[]> =>
  (
    await database.query(
      "select passport_id from person_state where not erased and passport_id = any ($1) order by 1",
      [[HIDDEN, ERASED, HIDDEN_LATER]],
    )
  ).rows.map((row) => row.passport_id);
