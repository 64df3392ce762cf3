import { presentPerson } from "#operations/people/present-person.ts";
import { readPeople } from "#operations/people/read-people.ts";
import { PRESENTER_VERSION } from "#present/version.ts";
import type { Connection } from "#store/engine/database.ts";
import { type HeldState, listHeldStates } from "#store/people/stored-states.ts";
import type { PreparedPerson } from "./prepare-person.ts";

/** A person who is not held as given: how they were held, null for a new one, and what V1 will not show of them. */
export type Change = Omit<PreparedPerson, "operator"> & {
  held: HeldState | null;
  operator: { hidden: boolean; merged_into: number | null };
};

/** Those of these people who are not held just as they are given. */
export async function findChanges(connection: Connection, given: readonly PreparedPerson[]): Promise<Change[]> {
  const rows = await listHeldStates(
    connection,
    given.map((one) => one.passport_id),
  );
  const held = new Map(rows.map((row) => [row.passport_id, row]));
  const own = await listOwnEtags(connection, rows.filter(isShownOtherwise));
  return given.flatMap((one) => {
    const before = held.get(one.passport_id) ?? null;
    const change = { ...one, held: before, operator: settleOperator(one, before) };
    if (before === null) return [change];
    return isAsHeld(change, before, own.get(one.passport_id) ?? before) ? [] : [change];
  });
}

type Etags = Pick<HeldState, "etag" | "credentials_etag" | "presenter">;

/**
 * Equal ETags mean equal facts: see the invariant in present/version.ts. It costs two look-ups a person, where comparing facts would
 * read some twenty rows.
 */
function isAsHeld(given: Change, held: HeldState, { etag, credentials_etag, presenter }: Etags): boolean {
  return (
    etag === given.etag &&
    credentials_etag === given.credentials_etag &&
    presenter === PRESENTER_VERSION &&
    given.operator.hidden === held.hidden &&
    given.operator.merged_into === held.merged_into
  );
}

/** Whose documents are not their own facts alone: they are hidden, or a merge or a queued recalculation shows in them. */
const isShownOtherwise = (held: HeldState): boolean =>
  held.hidden || held.merged_into !== null || held.absorbs || held.due;

const SLICE = 100;

/** The tags that the facts of these people would have if they stood alone. */
async function listOwnEtags(connection: Connection, held: readonly HeldState[]): Promise<Map<number, Etags>> {
  const own = new Map<number, Etags>();
  // A few at a time, as nobody knows how much they hold.
  for (let at = 0; at < held.length; at += SLICE) {
    const some = new Map(held.slice(at, at + SLICE).map((one) => [one.passport_id, one]));
    for (const person of await readPeople(connection, [...some.keys()])) {
      const { passport_id, etag, credentials_etag } = presentPerson(person);
      const stored = some.get(passport_id);
      own.set(passport_id, {
        etag,
        credentials_etag,
        presenter: stored?.hidden ? PRESENTER_VERSION : (stored?.presenter ?? null),
      });
    }
  }
  return own;
}

/** What is given counts; what is not given stays as it is. */
function settleOperator({ operator }: PreparedPerson, held: HeldState | null): Change["operator"] {
  return {
    hidden: operator.hidden ?? held?.hidden ?? false,
    merged_into: operator.merged_into === undefined ? (held?.merged_into ?? null) : operator.merged_into,
  };
}
