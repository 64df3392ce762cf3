import type { PassportList } from "@credence/contract/answers.ts";
import { describe, expect, test } from "vitest";
import { type Database, inTransaction } from "#store/database.ts";
import { lock } from "#store/locks.ts";
import { OPT_OUT_KEY } from "#testing/import-lines.ts";
import { person } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";
import { changePerson } from "./change-person.ts";
import { erasePerson } from "./erase-person.ts";
import { refreshStanding } from "./refresh-standing.ts";
import { savePeople } from "./save-people.ts";

const MOMENTS = 100;
const PEOPLE = 1_500;

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

describe("correctList", () => {
  test(`hidden or erased at ${MOMENTS} random moments of a refresh, nobody comes back; readers see no error meanwhile`, {
    timeout: 300_000,
  }, async () => {
    const people = Array.from({ length: PEOPLE }, (_, at) => person(at + 1, { display_name: `Zoë Number${at + 1}x` }));
    const { database, address } = await serving(people);
    const started = performance.now();
    await refreshStanding(database);
    const buildMs = performance.now() - started;

    let done = false;
    const pages = { read: 0, short: 0 };
    const reader = async (from: number) => {
      for (let page = from; !done; page = (page % 15) + 1) {
        const answer = await fetch(`${address}/api/v1/passports?page=${page}&per_page=100`);
        expect(answer.status).toBe(200);
        const { passports, pagination } = (await answer.json()) as PassportList;
        expect(pagination.total).toBeLessThanOrEqual(PEOPLE);
        pages.read += 1;
        if (passports.length < 100) pages.short += 1;
      }
    };
    const readers = [reader(1), reader(8)];

    const gone = new Set<number>();
    for (let moment = 0; moment < MOMENTS; moment += 1) {
      const refreshing = refreshStanding(database);
      const id = 1 + ((moment * 7) % PEOPLE);
      // Spread over the whole build, its beginning and its switch included.
      await new Promise((resolve) => setTimeout(resolve, (moment / MOMENTS) * buildMs * 1.2));
      if (moment % 2 === 0) await changePerson(database, { action: "hide", passportId: id });
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
    await Promise.all(readers);
    expect(pages.read).toBeGreaterThan(MOMENTS);

    await refreshStanding(database);
    const last = await fetch(`${address}/api/v1/passports`);
    expect(((await last.json()) as PassportList).pagination.total).toBe(PEOPLE - MOMENTS);
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
