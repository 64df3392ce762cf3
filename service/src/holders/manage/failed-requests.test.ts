import { expect, test, vi } from "vitest";
import { queryValue } from "#core/database/database.ts";
import { openHolderRequests } from "#holders/serve/serve-requests.ts";
import { savePeople } from "#people/write/save-people.ts";
import { runCommand } from "#testing/command.ts";
import { testDatabase } from "#testing/database.ts";
import { HOLDER_ENVIRONMENT } from "#testing/holder-client.ts";
import { HOLDERS_ON, signRequest } from "#testing/holders.ts";
import { person } from "#testing/people.ts";
import { solanaWallet } from "#testing/wallets.ts";
import { processRequests } from "./process-requests.ts";

/** People whose requests to hide fail, except for the last. */
async function prepareFailures(people: number) {
  const { database, url } = await testDatabase();
  const ids = Array.from({ length: people }, (_, index) => index + 1);
  const walletOf = (id: number) => solanaWallet(`person ${id}`);
  await savePeople(
    database,
    ids.map((id) => person(id, { main_wallet: walletOf(id).address, verified_wallets: [] })),
  );
  const { enqueue, stateOf } = openHolderRequests(database);
  const codes: string[] = [];
  for (const id of ids) codes.push((await enqueue(signRequest(walletOf(id), "hide", id))).code);
  await database.query(`create function fail () returns trigger language plpgsql as
    $$ begin raise exception 'the disk of % is full', new.passport_id; end $$`);
  await database.query(`create trigger fail before insert on holder_hide for each row
    when (new.passport_id <> ${people}) execute function fail ()`);
  return { database, url, codes, stateOf };
}

test("a batch of failing requests delays no other, and each is tried again later", async () => {
  const { database, codes, stateOf } = await prepareFailures(101);
  const onFailure = vi.fn();
  const work = () => processRequests(database, HOLDERS_ON, onFailure);
  const setRetry = (at: string, ids = "true") =>
    database.query(`update holder_request set retry_at = ${at} where attempts > 0 and ${ids}`);
  expect(await work()).toMatchObject({ advanced: 1, forged: 0, failed: 100 });
  // On a slow machine, the first are due again before the batch ends.
  await setRetry("now() + interval '1 hour'");
  expect(await stateOf(codes.at(-1) as string)).toMatchObject({ state: "done" });
  expect(onFailure).toHaveBeenCalledTimes(100);

  // The second time, after four seconds.
  await setRetry("now()", "passport_id = 1");
  const before = await queryValue<Date>(database, "select now()");
  expect(await work()).toMatchObject({ advanced: 0, forged: 0, failed: 1 });
  const after = await queryValue<Date>(database, "select now()");
  const retryAt = await queryValue<Date>(database, "select retry_at from holder_request where passport_id = 1");
  expect(retryAt.getTime()).toBeGreaterThanOrEqual(before.getTime() + 4_000);
  expect(retryAt.getTime()).toBeLessThanOrEqual(after.getTime() + 4_001);
  await database.query("drop trigger fail on holder_hide");
  await setRetry("now()", "passport_id <= 3");
  expect(await work()).toMatchObject({ advanced: 3, forged: 0, failed: 0 });
  expect((await database.query("select from holder_request where attempts > 0")).rowCount).toBe(97);
});

test("work --until-done goes on after a failure, and reports it with its reason", async () => {
  const { url, codes, stateOf } = await prepareFailures(3);
  const environment = { ...HOLDER_ENVIRONMENT, DATABASE_URL: url, PUBLIC_URL: "https://v1.example" };
  const { code, stdout, stderr } = await runCommand(["work", "--until-done"], environment);
  // On a slow machine, a request is due again before the command ends, and fails a second time.
  const failed = /(\d+) attempts to carry out requests of holders failed/.exec(stdout)?.[1];
  expect({ code, hasFailed: Number(failed) >= 2 }).toEqual({ code: 3, hasFailed: true });
  expect(stdout).toContain("Processed 1 request of holders.");
  expect(stderr).toContain("Cannot carry out requests of holders: the disk of 1 is full");
  expect(stderr).toContain("`credence requests list` shows which requests failed");
  expect(await stateOf(codes[2] as string)).toMatchObject({ state: "done" });
  expect((await runCommand(["requests", "list"], environment)).stdout).toMatch(/ hide +received, failed +/);
  expect((await runCommand(["requests", "show", "1"], environment)).stdout).toContain(
    "Last error: the disk of 1 is full",
  );
});

test("the planner's statistics are renewed once for a batch of erasures", async () => {
  const { database } = await testDatabase();
  const ids = [1, 2, 3, 4, 5];
  await savePeople(
    database,
    ids.map((id) => person(id, { main_wallet: solanaWallet(`${id}`).address, verified_wallets: [] })),
  );
  const { enqueue } = openHolderRequests(database);
  for (const id of ids) await enqueue(signRequest(solanaWallet(`${id}`), "erase", id));
  const work = () =>
    processRequests(database, { ...HOLDERS_ON, graceMs: 0 }, (error) => {
      throw error;
    });
  await work();
  const countAnalyses = () =>
    queryValue<number>(database, "select analyze_count::int from pg_stat_user_tables where relname = 'passport'");
  const before = await countAnalyses();
  expect(await work()).toMatchObject({ advanced: 5 });
  expect((await database.query("select from passport")).rowCount).toBe(0);
  await expect.poll(countAnalyses).toBe(before + 1);
});
