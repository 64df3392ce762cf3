import type { Connection } from "#core/database/database.ts";
import { presentPerson } from "#people/documents/make-documents.ts";
import { listStoredStates, type StoredState } from "#people/facts/stored-states.ts";
import { readPeople } from "#people/read/read-people.ts";
import type { PreparedPerson } from "./prepare-person.ts";

/** An incoming person that differs from the stored state, which is null for a new person. */
export type Change = Omit<PreparedPerson, "operator"> & {
  stored: StoredState | null;
  operator: { hidden: boolean; hidden_by: "holder" | undefined; merged_into: number | null };
};

/** Of the incoming people, those that differ from their stored state. */
export async function findChanges(connection: Connection, incoming: readonly PreparedPerson[]): Promise<Change[]> {
  const states = await listStoredStates(
    connection,
    incoming.map((person) => person.passport_id),
  );
  const storedById = new Map(states.map((state) => [state.passport_id, state]));
  const factsEtags = await listFactsEtags(connection, states.filter(showsMoreThanFacts));
  return incoming.flatMap((person) => {
    const stored = storedById.get(person.passport_id) ?? null;
    const change = { ...person, stored, operator: resolveOperator(person, stored) };
    if (stored === null) return [change];
    return isUnchanged(change, stored, factsEtags.get(person.passport_id) ?? stored) ? [] : [change];
  });
}

/** Changed people who are hidden and merged into others: survivors do not list wallets of theirs alone. */
export const listHiddenInMerges = (changes: readonly Change[]): number[] =>
  changes
    .filter(({ operator }) => operator.hidden && operator.merged_into !== null)
    .map((change) => change.passport_id);

type Etags = Pick<StoredState, "etag" | "credentials_etag" | "presenter" | "credentials_presenter">;

/**
 * Equal ETags mean equal facts: see the invariant in present/version.ts. Comparing ETags costs two
 * look-ups a person; comparing facts would read some twenty rows.
 */
function isUnchanged(change: Change, stored: StoredState, found: Etags): boolean {
  return (
    found.etag === change.etag &&
    found.credentials_etag === change.credentials_etag &&
    found.presenter === change.presenter &&
    found.credentials_presenter === change.credentials_presenter &&
    change.operator.hidden === stored.hidden &&
    change.operator.merged_into === stored.merged_into
  );
}

/** A hidden person has no documents; merges and a queued recalculation change them. */
const showsMoreThanFacts = (stored: StoredState): boolean =>
  stored.hidden || stored.merged_into !== null || stored.absorbs || stored.due;

/** People per query: the size of their stored facts is unknown. */
const SLICE = 100;

/** The ETags of documents made from these people's facts alone. */
async function listFactsEtags(connection: Connection, states: readonly StoredState[]): Promise<Map<number, Etags>> {
  const etags = new Map<number, Etags>();
  for (let index = 0; index < states.length; index += SLICE) {
    const slice = new Map(states.slice(index, index + SLICE).map((state) => [state.passport_id, state]));
    for (const person of await readPeople(connection, [...slice.keys()])) {
      const presented = presentPerson(person);
      const stored = slice.get(presented.passport_id);
      // A hidden person has no documents that could be old.
      const { presenter, credentials_presenter } = stored === undefined || stored.hidden ? presented : stored;
      const { etag, credentials_etag } = presented;
      etags.set(presented.passport_id, { etag, credentials_etag, presenter, credentials_presenter });
    }
  }
  return etags;
}

/** An incoming value wins; an absent one leaves the stored value. */
function resolveOperator({ operator }: PreparedPerson, stored: StoredState | null): Change["operator"] {
  return {
    hidden: operator.hidden ?? stored?.hidden ?? false,
    hidden_by: operator.hidden_by,
    merged_into: operator.merged_into === undefined ? (stored?.merged_into ?? null) : operator.merged_into,
  };
}
