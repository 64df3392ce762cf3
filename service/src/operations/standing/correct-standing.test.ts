import type { PassportList } from "@credence/contract/answers.ts";
import { describe, expect, test } from "vitest";
import { changePerson } from "#operations/holders/change-person.ts";
import { erasePerson } from "#operations/holders/erase-person.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { type Database, inTransaction, openDatabase } from "#store/engine/database.ts";
import { lock } from "#store/engine/locks.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";
import { whenDone } from "#testing/when-done.ts";
import { refreshStanding } from "./refresh-standing.ts";

const PEOPLE = 500;

/** Who is in any epoch that a reader could meet. */
function listEveryEpoch(database: Database): Promise<Set<number>> {
  return inTransaction(database, async (connection) => {
    // So that none is dropped while it is looked at.
    await lock(connection, "epochs");
    const { rows: epochs } = await connection.query("select epoch from standing_epoch");
    const ids = new Set<number>();
    for (const { epoch } of epochs) {
      const { rows } = await connection.query(`select passport_id from standing_${epoch}`);
      for (const { passport_id } of rows) ids.add(passport_id);
    }
    return ids;
  });
}

/** A pool that tells when the so-manieth statement of what it is used for is sent. */
function openWatched(url: string) {
  const pool = openDatabase({ url, name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  whenDone(() => pool.end());
  let sent = 0;
  let waiting = { statement: 0, resolve: () => {} };
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    client.query = ((...given: unknown[]) => {
      sent += 1;
      if (sent === waiting.statement) waiting.resolve();
      return query(...given);
    }) as typeof client.query;
  });
  return {
    pool,
    countSent: () => sent,
    sendsFromNow(statement: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      sent = 0;
      waiting = { statement, resolve };
      return promise;
    },
  };
}

describe("correctList", () => {
  test("hidden or erased at any statement of a refresh, nobody comes back; a reader sees no error meanwhile", {
    timeout: 300_000,
  }, async () => {
    const people = Array.from({ length: PEOPLE }, (_, at) => person(at + 1, { display_name: `Zoë Number${at + 1}x` }));
    const { database, address, url } = await serving(people);
    const builder = openWatched(url);
    // From the second on, each drops the table of one that is past.
    for (let count = 0; count < 3; count += 1) {
      builder.sendsFromNow(0);
      await refreshStanding(builder.pool);
    }
    const statements = builder.countSent();
    expect(statements).toBeGreaterThan(20);

    let done = false;
    const reader = async (from: number) => {
      let read = 0;
      for (let page = from; !done || read === 0; page = (page % 5) + 1) {
        const answer = await fetch(`${address}/api/v1/passports?page=${page}&per_page=100`);
        expect(answer.status).toBe(200);
        const { pagination } = (await answer.json()) as PassportList;
        expect(pagination.total).toBeLessThanOrEqual(PEOPLE);
        read += 1;
      }
    };
    const reading = reader(1);

    const gone = new Set<number>();
    for (let statement = 1; statement <= statements; statement += 1) {
      const id = statement * 7;
      const reached = builder.sendsFromNow(statement);
      const refreshing = refreshStanding(builder.pool);
      // A build may end sooner, when a reader keeps it from dropping a table.
      await Promise.race([reached, refreshing]);
      if (statement % 2 === 0) await changePerson(database, { action: "hide", passportId: id });
      else await erasePerson(database, id, OPT_OUT_KEY);
      gone.add(id);
      // At once, whatever is being built.
      expect((await listEveryEpoch(database)).intersection(gone)).toEqual(new Set());
      await refreshing;
      expect((await listEveryEpoch(database)).intersection(gone)).toEqual(new Set());
      const search = await fetch(`${address}/api/v1/passports?keyword=number${id}x`);
      expect(((await search.json()) as PassportList).pagination.total).toBe(0);
      expect((await fetch(`${address}/api/v1/passports/${id}`)).status).toBe(404);
    }
    done = true;
    await reading;

    await refreshStanding(database);
    const last = await fetch(`${address}/api/v1/passports`);
    expect(((await last.json()) as PassportList).pagination.total).toBe(PEOPLE - gone.size);
  });

  test("until the next list, a page is short and the total high by those who left", async () => {
    const { database, address } = await serving([1, 2, 3, 4].map((id) => person(id)));
    const read = async (query: string) => {
      const { passports, pagination } = (await (
        await fetch(`${address}/api/v1/passports?${query}`)
      ).json()) as PassportList;
      return { ids: passports.map((one) => one.passport_id), total: pagination.total };
    };
    await changePerson(database, { action: "merge", passportId: 2, into: 1 });
    expect(await read("per_page=3")).toEqual({ ids: [1, 3], total: 4 });
    expect(await read("per_page=3&page=2")).toEqual({ ids: [4], total: 4 });
    expect(await read("keyword=person")).toEqual({ ids: [1, 3, 4], total: 3 });
    await refreshStanding(database);
    expect(await read("per_page=3")).toEqual({ ids: [1, 3, 4], total: 3 });
  });

  test("an import that hides somebody takes them off the list at once, too", async () => {
    const { database } = await serving([person(1), person(2)]);
    await savePeople(database, [person(2, {}, { operator: { hidden: true } })]);
    expect(await listEveryEpoch(database)).toEqual(new Set([1]));
  });
});
