import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase, queryValue } from "#core/database/database.ts";
import { ensureDatabase } from "#core/database/server.ts";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { whenDone } from "#testing/when-done.ts";
import { ensureCluster } from "./cluster.ts";
import { findProgram, type Program } from "./program.ts";
import { startServer } from "./server.ts";

const COUNT = "select count(*) || ' ' || sum(hashtext(body)) from credential_document";

test("the documented dump of a database that names lz4 is restored by a server that has none", async () => {
  const { database, url } = await testDatabase();
  await database.query("alter table credential_document alter body set compression lz4");
  await savePeople(database, inventDemoPeople());
  expect(
    await queryValue(database, "select count(*) from credential_document where pg_column_compression(body) = 'lz4'"),
  ).toBeGreaterThan(0);

  const folder = mkdtempSync(join(tmpdir(), "credence-restore-"));
  whenDone(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o711);
  const server = await startServer(await ensureCluster((await findProgram()) as Program, join(folder, "cluster")));
  whenDone(server.stop);
  const target = `${server.url}/restored`;
  await ensureDatabase(target);
  const dump = join(folder, "dump");
  execFileSync("pg_dump", ["--format=custom", "--no-toast-compression", `--file=${dump}`, url]);
  const options = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"];
  execFileSync("pg_restore", [...options, `--dbname=${target}`, dump]);

  const restored = openDatabase({ url: target, name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  whenDone(() => restored.end());
  expect(await queryValue(restored, COUNT)).toBe(await queryValue(database, COUNT));
  // It is usable: documents that are written now are compressed by PostgreSQL's own method.
  await savePeople(restored, inventDemoPeople());
});
