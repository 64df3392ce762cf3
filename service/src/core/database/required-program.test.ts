import { expect, test } from "vitest";
import { work } from "#app/work/work.ts";
import { readConfig } from "#core/config/config.ts";
import { diagnose } from "#doctor/diagnose.ts";
import { holderSettings } from "#holders/manage/settings.ts";
import { savePeople } from "#people/write/save-people.ts";
import { queueRecalculation } from "#scores/manage/queue-recalculation.ts";
import { testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { inTransaction } from "./database.ts";
import { lockPeople } from "./locks.ts";
import { ProgramTooOld } from "./required-program.ts";

const REASON = "Scores have four parts.";

test("after a breaking migration a running program writes nobody, and a running worker ends", async () => {
  const { database } = await testDatabase();
  await savePeople(database, [person(1), person(2)]);
  const failures: unknown[] = [];
  let isWorking = () => {};
  const started = new Promise<void>((resolve) => {
    isWorking = resolve;
  });
  const working = work(database, {
    standingMaxAgeMs: 3_600_000,
    usageRetentionDays: 400,
    holders: holderSettings(readConfig({})),
    onRequests: () => {},
    onRecalculated: () => isWorking(),
    onStanding: () => {},
    refreshStanding: async () => null,
    onFailure: (_job, error) => failures.push(error),
    pollMs: 50,
    signal: new AbortController().signal,
  });
  const ended = expect(working).rejects.toThrow(ProgramTooOld);
  await inTransaction(database, async (connection) => {
    await lockPeople(connection);
    await queueRecalculation(connection, [1], new Set());
  });
  await started;
  await database.query("update required_program set level = 100, reason = $1", [REASON]);
  await ended;
  expect(failures).toEqual([]);
  await expect(savePeople(database, [person(3)])).rejects.toThrow(
    `This version of Credence is too old for the database: ${REASON}`,
  );
  expect((await database.query("select passport_id from passport order by 1")).rows).toEqual([
    { passport_id: 1 },
    { passport_id: 2 },
  ]);
  const checks = await diagnose(database, readConfig({}));
  expect(checks.find(({ name }) => name === "schema")).toMatchObject({ state: "problem" });
});
