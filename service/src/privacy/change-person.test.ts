import type { PassportCredentials } from "@credence/contract/answers.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refreshStanding } from "#list/manage/refresh-standing.ts";
import { makeDocuments } from "#people/documents/make-documents.ts";
import { listDocuments } from "#people/facts/documents.ts";
import { savePeople } from "#people/write/save-people.ts";
import { testDatabase } from "#testing/database.ts";
import { importLines } from "#testing/import-lines.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";
import { serving } from "#testing/serving.ts";
import { changePerson, type PersonChange } from "./change-person.ts";

const SEQUENCES = scaled(1_000, 20);
const PEOPLE = [1, 2, 3, 4];
/** This wallet is listed by three people, next to their main wallets. */
const SHARED = 9;
const SHARED_BY = [2, 3, 4];

type PersonState = { hidden: boolean; merged: boolean; ranked: boolean };

/** A simple model of the expected V1 responses. */
class Model {
  readonly people = new Map<number, PersonState>(
    PEOPLE.map((id) => [id, { hidden: false, merged: false, ranked: true }]),
  );

  stateOf(id: number): PersonState {
    return this.people.get(id) as PersonState;
  }

  apply(change: RandomChange): void {
    const state = this.stateOf(change.passportId);
    if (change.action === "import") Object.assign(state, { hidden: change.hidden, merged: change.merged });
    else state.hidden = change.action === "hide";
    if (state.hidden || state.merged) state.ranked = false;
  }

  walletsOf(id: number): number[] {
    return SHARED_BY.includes(id) ? [id, SHARED] : [id];
  }

  /** A merged record owns only what no unmerged one lists, shown or hidden. */
  ownerOf(address: number): number | null {
    const claimants = PEOPLE.filter((id) => this.walletsOf(id).includes(address));
    const unmerged = claimants.filter((id) => !this.stateOf(id).merged);
    const entitled = unmerged.length > 0 ? unmerged : claimants;
    return entitled.find((id) => !this.stateOf(id).hidden) ?? null;
  }
}

type RandomChange = PersonChange | { action: "import"; passportId: number; hidden: boolean; merged: boolean };

const changes = fc.array(
  fc.oneof(
    fc.record({ action: fc.constantFrom("hide", "unhide"), passportId: fc.constantFrom(...PEOPLE) }),
    fc.record({
      action: fc.constant("import"),
      passportId: fc.constantFrom(...PEOPLE),
      hidden: fc.boolean(),
      merged: fc.boolean(),
    }),
  ) as fc.Arbitrary<RandomChange>,
  { minLength: 2, maxLength: 6 },
);

describe("changePerson", () => {
  test(`V1 and the documents match a simple model after each change of ${SEQUENCES} random sequences`, {
    timeout: 300_000,
  }, async () => {
    const owned = await testDatabase();
    const { database } = owned;
    const idOf = (sequence: number, id: number) => sequence * 10 + id;
    const walletOf = (sequence: number, id: number) => wallet(sequence * 10 + id);
    const personOf = (sequence: number, id: number, { merged = false, hidden = false } = {}) =>
      person(
        idOf(sequence, id),
        {
          main_wallet: walletOf(sequence, id),
          verified_wallets: [...(SHARED_BY.includes(id) ? [walletOf(sequence, SHARED)] : [])],
          display_name: `Population${sequence}x`,
          merged,
        },
        { credentials: [credential(`of ${idOf(sequence, id)}`)], operator: { hidden } },
      );
    const population = (sequence: number) => PEOPLE.map((id) => personOf(sequence, id));
    await savePeople(database, Array.from({ length: SEQUENCES }, (_, sequence) => population(sequence)).flat());
    const apply = async (sequence: number, change: RandomChange) => {
      const { action, passportId } = change;
      if (action === "import") await importLines(database, [personOf(sequence, passportId, change)]);
      else await changePerson(database, { action, passportId: idOf(sequence, passportId) });
    };
    const { address } = await serving([], { into: owned });
    const load = async (path: string) => (await fetch(`${address}/api/v1/${path}`)).json() as Promise<never>;

    const expectAll = async (sequence: number, model: Model) => {
      const expectPassport = async (reference: number | string, id: number | null) => {
        const { passport } = (await load(`passports/${reference}`)) as { passport?: PassportDetail };
        if (id === null) return expect(passport).toBeUndefined();
        const { hidden, merged } = model.stateOf(id);
        if (hidden) return expect(passport).toBeUndefined();
        expect(passport).toMatchObject({ passport_id: idOf(sequence, id), merged });
        // The main wallet is verified only if verified_wallets lists it.
        const wallets = model.walletsOf(id).filter((number) => number !== id);
        const verified = wallets.map((number) => walletOf(sequence, number));
        expect(passport?.verified_wallets).toEqual(verified);
      };
      const expectCredentials = async (reference: number | string, id: number | null) => {
        const { passport_credentials } = (await load(
          `passport_credentials?passport_id=${reference}`,
        )) as PassportCredentials;
        const expected = id === null || model.stateOf(id).hidden ? [] : [`of ${idOf(sequence, id)}`];
        expect(passport_credentials.map((item) => item.id)).toEqual(expected);
      };
      await Promise.all([
        ...PEOPLE.map((id) => expectPassport(idOf(sequence, id), id)),
        ...[...PEOPLE, SHARED].map((number) => expectPassport(walletOf(sequence, number), model.ownerOf(number))),
      ]);
      const [id, number] = [PEOPLE[sequence % 4] as number, [...PEOPLE, SHARED][sequence % 5] as number];
      await expectCredentials(idOf(sequence, id), id);
      await expectCredentials(walletOf(sequence, number), model.ownerOf(number));
      const { passports } = (await load(`passports?keyword=population${sequence}x`)) as { passports: PassportDetail[] };
      const ranked = PEOPLE.filter((id) => model.stateOf(id).ranked).map((id) => idOf(sequence, id));
      expect(passports.map((passport) => passport.passport_id)).toEqual(ranked);
    };

    let sequence = 0;
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const model = new Model();
        for (const change of list) {
          await apply(sequence, change);
          model.apply(change);
          await expectAll(sequence, model);
          const ids = PEOPLE.map((id) => idOf(sequence, id));
          const expected = (await makeDocuments(database, ids)).toSorted((a, b) => a.passport_id - b.passport_id);
          const stored = (await listDocuments(database, ids)).toSorted((a, b) => a.passport_id - b.passport_id);
          expect(stored).toEqual(expected);
        }
        sequence += 1;
      }),
      { numRuns: SEQUENCES, endOnFailure: true },
    );
    expect(sequence).toBe(SEQUENCES);

    // The next epoch has exactly the people that are neither hidden nor merged.
    await refreshStanding(database);
    const { rows } = await database.query(
      `select (select count(*) from passport where not hidden and not merged) as expected,
         (select count(*) from standing_3) as ranked, (select count(*) from standing_correction) as corrections`,
    );
    expect(rows[0].ranked).toBe(rows[0].expected);
    expect(rows[0].corrections).toBe(0);
  });

  test("returns the reason for a refusal, and null for a change without effect", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1), person(2)]);
    const refusal = async (change: PersonChange) => (await changePerson(database, change)).refusal;
    expect(await refusal({ action: "hide", passportId: 9 })).toContain("There is no passport 9");
    await changePerson(database, { action: "hide", passportId: 2 });
    expect(await changePerson(database, { action: "unhide", passportId: 1 })).toEqual({ changed: null, refusal: null });
    const { rows } = await database.query("select action, passport_id, by_role from audit order by at");
    expect(rows).toEqual([{ action: "hide", passport_id: 2, by_role: expect.any(String) }]);
  });

  test("a line lists a merged record again", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1, { merged: true })]);
    await importLines(database, [person(1)]);
    await refreshStanding(database);
    expect((await database.query("select passport_id from standing_2")).rows).toEqual([{ passport_id: 1 }]);
  });
});
