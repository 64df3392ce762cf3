import type { PassportCredentials } from "@credence/contract/answers.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import type { Person } from "@credence/contract/person.ts";
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
/** This wallet is listed by two people, next to their main wallets. */
const SHARED = 9;
const SHARED_BY = [2, 3];

type PersonState = { hidden: boolean; merged_into: number | null; ranked: boolean };

/** A simple model of the expected V1 responses. */
class Model {
  readonly people = new Map<number, PersonState>(
    PEOPLE.map((id) => [id, { hidden: false, merged_into: null, ranked: true }]),
  );

  stateOf(id: number): PersonState {
    return this.people.get(id) as PersonState;
  }

  apply({ action, ...change }: RandomChange): void {
    const state = this.stateOf(change.passportId);
    if (action === "import" && "hidden" in change) {
      // A line that would close a merge cycle is refused.
      if (change.into !== null && this.chain(change.into).includes(change.passportId)) return;
      state.hidden = change.hidden;
      state.merged_into = change.into;
    }
    if (action === "hide") state.hidden = true;
    if (action === "unhide") state.hidden = false;
    if (action === "unmerge") state.merged_into = null;
    if (
      action === "merge" &&
      "into" in change &&
      change.into !== null &&
      !this.chain(change.into).includes(change.passportId)
    ) {
      state.merged_into = change.into;
    }
    if (state.hidden || state.merged_into !== null) state.ranked = false;
  }

  /** The merge chain of a person: the person, then each survivor. */
  chain(id: number): number[] {
    const { merged_into } = this.stateOf(id);
    return merged_into === null ? [id] : [id, ...this.chain(merged_into)];
  }

  survivor(id: number): number {
    return this.chain(id).at(-1) as number;
  }

  walletsOf(id: number): number[] {
    return SHARED_BY.includes(id) ? [id, SHARED] : [id];
  }

  /** A survivor shows no wallet that only hidden records list. */
  shownWallets(id: number): number[] {
    const absorbed = PEOPLE.filter(
      (other) => other !== id && this.survivor(other) === id && !this.stateOf(other).hidden,
    );
    return [...new Set([id, ...absorbed].flatMap((source) => this.walletsOf(source)))];
  }

  /** Null: only hidden records list it. */
  ownerOf(address: number): number | null {
    const claimants = PEOPLE.filter((id) => this.walletsOf(id).includes(address));
    const unmerged = claimants.filter((id) => this.stateOf(id).merged_into === null);
    const shown = claimants.filter((id) => !this.stateOf(id).hidden);
    const owners = unmerged.length > 0 ? unmerged : shown.map((id) => this.survivor(id));
    return owners.length === 0 ? null : Math.min(...owners);
  }

  isListedByHiddenOnly(address: number): boolean {
    return PEOPLE.every((id) => !this.walletsOf(id).includes(address) || this.stateOf(id).hidden);
  }
}

type RandomChange = PersonChange | { action: "import"; passportId: number; hidden: boolean; into: number | null };

const changes = fc.array(
  fc.oneof(
    fc.record({ action: fc.constantFrom("hide", "unhide", "unmerge"), passportId: fc.constantFrom(...PEOPLE) }),
    fc.record({
      action: fc.constant("merge"),
      passportId: fc.constantFrom(...PEOPLE),
      into: fc.constantFrom(...PEOPLE),
    }),
    fc.record({
      action: fc.constant("import"),
      passportId: fc.constantFrom(...PEOPLE),
      hidden: fc.boolean(),
      into: fc.constantFrom(null, ...PEOPLE),
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
    const personOf = (sequence: number, id: number, operator?: NonNullable<Person["operator"]>) =>
      person(
        idOf(sequence, id),
        {
          main_wallet: walletOf(sequence, id),
          verified_wallets: [...(SHARED_BY.includes(id) ? [walletOf(sequence, SHARED)] : [])],
          display_name: `Population${sequence}x`,
        },
        { credentials: [credential(`of ${idOf(sequence, id)}`)], ...(operator && { operator }) },
      );
    const population = (sequence: number) => PEOPLE.map((id) => personOf(sequence, id));
    await savePeople(database, Array.from({ length: SEQUENCES }, (_, sequence) => population(sequence)).flat());
    const apply = async (sequence: number, change: RandomChange) => {
      const passportId = idOf(sequence, change.passportId);
      const into = "into" in change && change.into !== null ? idOf(sequence, change.into) : null;
      if (change.action === "import") {
        const operator = { hidden: change.hidden, merged_into: into };
        await importLines(database, [personOf(sequence, change.passportId, operator)]);
      } else await changePerson(database, { ...change, passportId, ...(into !== null && { into }) } as PersonChange);
    };
    const { address } = await serving([], { into: owned });
    const load = async (path: string) => (await fetch(`${address}/api/v1/${path}`)).json() as Promise<never>;

    const expectAll = async (sequence: number, model: Model) => {
      const expectPassport = async (reference: number | string, id: number | null) => {
        const { passport } = (await load(`passports/${reference}`)) as { passport?: PassportDetail };
        if (id === null) return expect(passport).toBeUndefined();
        const { hidden, merged_into } = model.stateOf(id);
        if (hidden) return expect(passport).toBeUndefined();
        expect(passport).toMatchObject({ passport_id: idOf(sequence, id), merged: merged_into !== null });
        const wallets = merged_into === null ? model.shownWallets(id) : model.walletsOf(id);
        // The main wallet is verified only if verified_wallets lists it.
        const verified = wallets.filter((number) => number !== id).map((number) => walletOf(sequence, number));
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
      const listed = new Set(passports.flatMap((passport) => passport.verified_wallets));
      const hidden = [...PEOPLE, SHARED].filter((number) => model.isListedByHiddenOnly(number));
      expect(hidden.filter((number) => listed.has(walletOf(sequence, number)))).toEqual([]);
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
      `select (select count(*) from passport where not hidden and merged_into is null) as expected,
         (select count(*) from standing_3) as ranked, (select count(*) from standing_correction) as corrections`,
    );
    expect(rows[0].ranked).toBe(rows[0].expected);
    expect(rows[0].corrections).toBe(0);
  });

  test("returns the reason for a refusal, and null for a change without effect", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1), person(2), person(3)]);
    const refusal = async (change: PersonChange) => (await changePerson(database, change)).refusal;
    expect(await refusal({ action: "hide", passportId: 9 })).toContain("There is no passport 9");
    expect(await refusal({ action: "merge", passportId: 1, into: 9 })).toContain("There is no passport 9");
    expect(await refusal({ action: "merge", passportId: 1, into: 1 })).toContain("into itself");
    await changePerson(database, { action: "merge", passportId: 1, into: 2 });
    await changePerson(database, { action: "merge", passportId: 2, into: 3 });
    expect(await refusal({ action: "merge", passportId: 3, into: 1 })).toContain("merge cycle");
    expect(await changePerson(database, { action: "unhide", passportId: 1 })).toEqual({ changed: null, refusal: null });
    const { rows } = await database.query("select action, passport_id, merged_into, by_role from audit order by at");
    const by_role = expect.any(String);
    expect(rows).toEqual([
      { action: "merge", passport_id: 1, merged_into: 2, by_role },
      { action: "merge", passport_id: 2, merged_into: 3, by_role },
    ]);
  });

  test("unmerges a person whose imported merge names no survivor", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1, { merged: true })]);
    await changePerson(database, { action: "unmerge", passportId: 1 });
    await refreshStanding(database);
    expect((await database.query("select passport_id from standing_2")).rows).toEqual([{ passport_id: 1 }]);
  });
});
