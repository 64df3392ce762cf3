import type { PassportList } from "@credence/contract/answers.ts";
import { describe, expect, test } from "vitest";
import { type Database, inTransaction, openDatabase } from "#core/database/database.ts";
import { lock } from "#core/database/locks.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { erase, hide } from "#testing/decide.ts";
import { person, wallet } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";
import { whenDone } from "#testing/when-done.ts";
import { refreshStanding } from "./refresh-standing.ts";

const PEOPLE = 200;
/** Pages that are read during each refresh. */
const READS = 5;

/** The ids in all epochs that a reader could use. */
function listIdsOfAllEpochs(database: Database): Promise<Set<number>> {
  return inTransaction(database, async (connection) => {
    // The lock prevents a concurrent drop of an epoch.
    await lock(connection, "epochs");
    const { rows: epochs } = await connection.query("select epoch from standing_epoch");
    const ids = new Set<number>();
    for (const { epoch } of epochs) {
      const { rows } = await connection.query(
        `select passport_id from standing_${epoch} where passport_id is not null`,
      );
      for (const { passport_id } of rows) ids.add(passport_id);
    }
    return ids;
  });
}

/** A pool that reports when the n-th statement is sent. */
function openWatchedPool(url: string) {
  const pool = openDatabase({ url, name: "test", maxConnections: 1, statementTimeoutMs: 0 });
  whenDone(() => pool.end());
  let sent = 0;
  let waiting = { statement: 0, resolve: () => {} };
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      sent += 1;
      if (sent === waiting.statement) waiting.resolve();
      return query(...args);
    }) as typeof client.query;
  });
  return {
    pool,
    countStatements: () => sent,
    waitForStatement(statement: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      sent = 0;
      waiting = { statement, resolve };
      return promise;
    },
  };
}

describe("correctStanding", () => {
  test("people hidden or erased at any statement of a refresh do not reappear, and readers see no error", {
    timeout: 300_000,
  }, async () => {
    const people = Array.from({ length: PEOPLE }, (_, index) =>
      person(index + 1, { display_name: `Zoë Number${index + 1}x` }),
    );
    const { database, address, url } = await serving(people);
    const builder = openWatchedPool(url);
    // From the second refresh on, each drops the table of an old epoch.
    for (let count = 0; count < 3; count += 1) {
      builder.waitForStatement(0);
      await refreshStanding(builder.pool);
    }
    const statements = builder.countStatements();
    expect(statements).toBeGreaterThan(20);
    expect(statements * 3).toBeLessThan(PEOPLE);

    let page = 0;
    const readPages = async () => {
      for (const _ of Array(READS)) {
        page = (page % 5) + 1;
        const response = await fetch(`${address}/api/v1/passports?page=${page}&per_page=40`);
        expect(response.status).toBe(200);
        const { pagination } = (await response.json()) as PassportList;
        expect(pagination.total).toBeLessThanOrEqual(PEOPLE);
      }
    };

    const removed = new Set<number>();
    for (let statement = 1; statement <= statements; statement += 1) {
      const id = statement * 3;
      const statementSent = builder.waitForStatement(statement);
      const refreshing = refreshStanding(builder.pool);
      // A refresh sends fewer statements if a reader prevents it from dropping a table.
      await Promise.race([statementSent, refreshing]);
      const reading = readPages();
      if (statement % 2 === 0) await hide(database, [id]);
      else await erase(database, [id]);
      removed.add(id);
      // Removed at once, even during a refresh.
      expect((await listIdsOfAllEpochs(database)).intersection(removed)).toEqual(new Set());
      await Promise.all([refreshing, reading]);
      expect((await listIdsOfAllEpochs(database)).intersection(removed)).toEqual(new Set());
      const search = await fetch(`${address}/api/v1/passports?keyword=number${id}x`);
      expect(((await search.json()) as PassportList).passports).toEqual([]);
      expect((await fetch(`${address}/api/v1/passports/${id}`)).status).toBe(404);
    }

    await refreshStanding(database);
    const last = await fetch(`${address}/api/v1/passports`);
    expect(((await last.json()) as PassportList).pagination.total).toBe(PEOPLE - removed.size);
  });

  test("until the next refresh, pages omit removed people and the total still counts them", async () => {
    const { database, address } = await serving([1, 2, 3, 4].map((id) => person(id)));
    const read = async (query: string) => {
      const { passports, pagination } = (await (
        await fetch(`${address}/api/v1/passports?${query}`)
      ).json()) as PassportList;
      return { ids: passports.map((passport) => passport.passport_id), total: pagination.total };
    };
    await savePeople(database, [person(2, { merged: true })]);
    expect(await read("per_page=3")).toEqual({ ids: [1, 3], total: 4 });
    expect(await read("per_page=3&page=2")).toEqual({ ids: [4], total: 4 });
    expect(await read("keyword=person&per_page=3")).toEqual({ ids: [1, 3], total: 4 });
    expect(await read("keyword=person&per_page=3&page=2")).toEqual({ ids: [4], total: 4 });
    await refreshStanding(database);
    expect(await read("per_page=3")).toEqual({ ids: [1, 3, 4], total: 3 });
    expect(await read("keyword=person")).toEqual({ ids: [1, 3, 4], total: 3 });
  });

  test("correcting many people takes as many statements as correcting one", async () => {
    const { database, url } = await testDatabase();
    // Two people share each name, and one of them stays.
    const named = (id: number, merged = false) => person(id, { display_name: `Name ${id % 20}`, merged });
    await savePeople(
      database,
      Array.from({ length: 40 }, (_, index) => named(index + 1)),
    );
    await refreshStanding(database);
    const { pool, countStatements } = openWatchedPool(url);
    const merge = async (ids: number[]) => {
      const before = countStatements();
      await savePeople(
        pool,
        ids.map((id) => named(id, true)),
      );
      return countStatements() - before;
    };
    await merge([1]);
    const statements = await merge([2]);
    expect(await merge(Array.from({ length: 18 }, (_, index) => index + 3))).toBe(statements);
  });

  test("the next refresh deletes what an epoch kept of removed people", async () => {
    const { database } = await testDatabase();
    // Two people share each name.
    const people = Array.from({ length: 40 }, (_, index) => person(index + 1, { display_name: `Name ${index % 20}` }));
    await savePeople(database, people);
    await refreshStanding(database);
    await erase(
      database,
      [...Array(20).keys(), 39].map((id) => id + 1),
    );
    const removed = "select count(*) from standing_2 where passport_id is null";
    expect((await database.query(removed)).rows).toEqual([{ count: 21 }]);
    const { rows: blank } = await database.query(
      "select distinct score, body from standing_2 where passport_id is null",
    );
    expect(blank).toEqual([{ score: null, body: null }]);
    await refreshStanding(database);
    expect((await database.query(removed)).rows).toEqual([{ count: 0 }]);
    const { rows: names } = await database.query("select distinct people, cardinality(ranks) from standing_2_names");
    expect(names).toEqual([{ people: 1, cardinality: 1 }]);
    expect((await database.query("select from standing_2_names where folded_name = 'name 19'")).rowCount).toBe(0);
  });

  test("until the next refresh, an import takes wallets from the list, and changes nothing else in it", async () => {
    const scores = [100, 5e-7, 2.5, 10].map((score, index) => ({ id: index + 1, score }));
    const { database, address } = await serving(
      scores.map(({ id, score }) =>
        person(id, { score, main_wallet: wallet(id), verified_wallets: [wallet(id), wallet(10 + id)] }),
      ),
    );
    const read = async () => (await fetch(`${address}/api/v1/passports`)).text();
    const before = await read();
    await savePeople(
      database,
      scores.map(({ id, score }) =>
        person(id, {
          score: 100 - score,
          calculating_score: true,
          main_wallet: wallet(id),
          verified_wallets: [wallet(id)],
        }),
      ),
    );
    expect(await read()).toBe(scores.reduce((text, { id }) => text.replace(`,"${wallet(10 + id)}"`, ""), before));
    await refreshStanding(database);
    const { passports } = JSON.parse(await read()) as PassportList;
    expect(passports.map(({ score }) => score)).toEqual([100 - 5e-7, 97.5, 90, 0]);
  });
});
