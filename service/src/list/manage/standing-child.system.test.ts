import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findCurrentEpoch } from "#list/epochs.ts";
import { savePeople } from "#people/write/save-people.ts";
import { startCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { credential, person } from "#testing/people.ts";

/** Finds the child process that builds the standing, in /proc. */
function findChild(parent: number | undefined): number {
  const isChild = (pid: string) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
    } catch {
      return false;
    }
  };
  return Number(readdirSync("/proc").find((name) => /^\d+$/.test(name) && isChild(name)));
}

test("the worker goes on when the process that builds the standing is killed", async () => {
  const { database, url } = await testDatabase();
  await savePeople(database, [person(1, {}, { credentials: [credential("a")] })]);
  const blocker = await database.connect();
  await blocker.query("begin; lock table lock_epochs in exclusive mode");
  const worker = startCommand(["work"], { DATABASE_URL: url, STANDING_MAX_AGE: "0s" });
  // The build waits for this lock before it switches to the new epoch.
  const isBuilding = async () => {
    const { rowCount } = await database.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rowCount;
  };
  await expect.poll(isBuilding, { timeout: 30_000 }).toBe(1);
  process.kill(findChild(worker.process.pid), "SIGKILL");
  await expect.poll(() => worker.output.stdout, { timeout: 30_000 }).toContain("ended with SIGKILL");

  expect((await findCurrentEpoch(database)).epoch).toBe(1);
  await blocker.query("rollback");
  blocker.release();
  worker.process.kill("SIGTERM");
  expect((await worker.ended).code).toBe(0);
});
