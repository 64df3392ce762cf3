import type { PassportCredentials } from "@credence/contract/answers.ts";
import type { PassportDetail } from "@credence/contract/passport.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeDocuments } from "#operations/documents/make-documents.ts";
import { refreshStanding } from "#operations/standing/refresh-standing.ts";
import { savePeople } from "#operations/write/save-people.ts";
import { listDocuments } from "#store/people/documents.ts";
import { testDatabase } from "#testing/database.ts";
import { credential, person, wallet } from "#testing/people.ts";
import { scaled } from "#testing/scale.ts";
import { serving } from "#testing/serving.ts";
import { changePerson, type PersonChange } from "./change-person.ts";

const SEQUENCES = scaled(1_000, 100);
const PEOPLE = [1, 2, 3, 4];
/** Two people list this one beside their own. */
const SHARED = 9;
const SHARED_BY = [2, 3];

type Held = { hidden: boolean; merged_into: number | null; onList: boolean };

/** What V1 should say, worked out as plainly as can be. */
class Model {
  readonly people = new Map<number, Held>(PEOPLE.map((id) => [id, { hidden: false, merged_into: null, onList: true }]));

  held(id: number): Held {
    return this.people.get(id) as Held;
  }

  apply({ action, ...change }: PersonChange): void {
    const held = this.held(change.passportId);
    if (action === "hide") held.hidden = true;
    if (action === "unhide") held.hidden = false;
    if (action === "unmerge") held.merged_into = null;
    if (action === "merge" && "into" in change && !this.chain(change.into).includes(change.passportId)) {
      held.merged_into = change.into;
    }
    if (held.hidden || held.merged_into !== null) held.onList = false;
  }

  /** Whom a person leads to by merges, themselves first. */
  chain(id: number): number[] {
    const { merged_into } = this.held(id);
    return merged_into === null ? [id] : [id, ...this.chain(merged_into)];
  }

  survivor(id: number): number {
    return this.chain(id).at(-1) as number;
  }

  walletsOf(id: number): number[] {
    return SHARED_BY.includes(id) ? [id, SHARED] : [id];
  }

  shownWallets(id: number): number[] {
    const absorbed = PEOPLE.filter((other) => other !== id && this.survivor(other) === id);
    return [...new Set([id, ...absorbed].flatMap((one) => this.walletsOf(one)))];
  }

  ownerOf(address: number): number {
    const claimants = PEOPLE.filter((id) => this.walletsOf(id).includes(address));
    const standing = claimants.filter((id) => this.held(id).merged_into === null);
    return Math.min(...(standing.length > 0 ? standing : claimants.map((id) => this.survivor(id))));
  }
}

const changes = fc.array(
  fc.oneof(
    fc.record({ action: fc.constantFrom("hide", "unhide", "unmerge"), passportId: fc.constantFrom(...PEOPLE) }),
    fc.record({
      action: fc.constant("merge"),
      passportId: fc.constantFrom(...PEOPLE),
      into: fc.constantFrom(...PEOPLE),
    }),
  ) as fc.Arbitrary<PersonChange>,
  { minLength: 2, maxLength: 6 },
);

describe("hiding, merging and their undoing", () => {
  test(`in any order, ${SEQUENCES} times: V1 answers as a simple model does, and documents are what facts give`, {
    timeout: 300_000,
  }, async () => {
    const owned = await testDatabase();
    const { database } = owned;
    const idOf = (sequence: number, id: number) => sequence * 10 + id;
    const walletOf = (sequence: number, id: number) => wallet(sequence * 10 + id);
    const population = (sequence: number) =>
      PEOPLE.map((id) =>
        person(
          idOf(sequence, id),
          {
            main_wallet: walletOf(sequence, id),
            verified_wallets: [...(SHARED_BY.includes(id) ? [walletOf(sequence, SHARED)] : [])],
            display_name: `Population${sequence}x`,
          },
          { credentials: [credential(`of ${idOf(sequence, id)}`)] },
        ),
      );
    await savePeople(database, Array.from({ length: SEQUENCES }, (_, sequence) => population(sequence)).flat());
    const { address } = await serving([], { into: owned });
    const ask = async (path: string) => (await fetch(`${address}/api/v1/${path}`)).json() as Promise<never>;

    const askAll = async (sequence: number, model: Model) => {
      const expectPassport = async (reference: number | string, id: number) => {
        const { passport } = (await ask(`passports/${reference}`)) as { passport?: PassportDetail };
        const { hidden, merged_into } = model.held(id);
        if (hidden) return expect(passport).toBeUndefined();
        expect(passport).toMatchObject({ passport_id: idOf(sequence, id), merged: merged_into !== null });
        const wallets = merged_into === null ? model.shownWallets(id) : model.walletsOf(id);
        // A main wallet stands among the verified ones only if it is listed there.
        const verified = wallets.filter((one) => one !== id).map((one) => walletOf(sequence, one));
        expect(passport?.verified_wallets).toEqual(verified);
      };
      const expectCredentials = async (reference: number | string, id: number) => {
        const { passport_credentials } = (await ask(
          `passport_credentials?passport_id=${reference}`,
        )) as PassportCredentials;
        const own = model.held(id).hidden ? [] : [`of ${idOf(sequence, id)}`];
        expect(passport_credentials.map((one) => one.id)).toEqual(own);
      };
      await Promise.all([
        ...PEOPLE.map((id) => expectPassport(idOf(sequence, id), id)),
        ...[...PEOPLE, SHARED].map((one) => expectPassport(walletOf(sequence, one), model.ownerOf(one))),
      ]);
      const [one, address] = [PEOPLE[sequence % 4] as number, [...PEOPLE, SHARED][sequence % 5] as number];
      await expectCredentials(idOf(sequence, one), one);
      await expectCredentials(walletOf(sequence, address), model.ownerOf(address));
      const { passports } = (await ask(`passports?keyword=population${sequence}x`)) as { passports: PassportDetail[] };
      const listed = PEOPLE.filter((id) => model.held(id).onList).map((id) => idOf(sequence, id));
      expect(passports.map((one) => one.passport_id)).toEqual(listed);
    };

    let sequence = 0;
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const model = new Model();
        for (const change of list) {
          const passportId = idOf(sequence, change.passportId);
          const moved =
            change.action === "merge"
              ? { ...change, passportId, into: idOf(sequence, change.into) }
              : { ...change, passportId };
          await changePerson(database, moved);
          model.apply(change);
          await askAll(sequence, model);
          const ids = PEOPLE.map((id) => idOf(sequence, id));
          const made = (await makeDocuments(database, ids)).toSorted(
            (one, other) => one.passport_id - other.passport_id,
          );
          const stored = (await listDocuments(database, ids)).toSorted(
            (one, other) => one.passport_id - other.passport_id,
          );
          expect(stored).toEqual(made);
        }
        sequence += 1;
      }),
      { numRuns: SEQUENCES, endOnFailure: true },
    );
    expect(sequence).toBe(SEQUENCES);

    // The next list has everyone who belongs there again, and nobody else.
    await refreshStanding(database);
    const { rows } = await database.query(
      `select (select count(*) from passport where not hidden and merged_into is null) as wanted,
         (select count(*) from standing_3) as listed, (select count(*) from standing_correction) as noted`,
    );
    expect(rows[0].listed).toBe(rows[0].wanted);
    expect(rows[0].noted).toBe(0);
  });

  test("says why it cannot be done, or that there is nothing to do", async () => {
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

  test("an imported merge without a known survivor can be undone as well", async () => {
    const { database } = await testDatabase();
    await savePeople(database, [person(1, { merged: true })]);
    await changePerson(database, { action: "unmerge", passportId: 1 });
    await refreshStanding(database);
    expect((await database.query("select passport_id from standing_2")).rows).toEqual([{ passport_id: 1 }]);
  });
});
