import type { Connection } from "#core/database/database.ts";
import { presentPerson } from "#people/documents/make-documents.ts";
import { listStoredStates, type StoredState } from "#people/facts/stored-states.ts";
import { presentPassport } from "#people/present/passport.ts";
import { readPassports, readPeople } from "#people/read/read-people.ts";
import type { PreparedPerson } from "./prepare-person.ts";

/** An incoming person that differs from the stored state, which is null for a new person. */
export type Change = Omit<PreparedPerson, "operator"> & {
  stored: StoredState | null;
  operator: { hidden: boolean; hidden_by: "holder" | undefined; merged_into: number | null; merged_by_line: boolean };
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
    const found = storedById.get(person.passport_id);
    const stored = found === undefined ? null : { ...found, ...factsEtags.get(person.passport_id) };
    const change = { ...person, stored, operator: resolveOperator(person, stored) };
    return stored !== null && isUnchanged(change, stored) ? [] : [change];
  });
}

/** Changed people who are hidden and merged into others: survivors do not list wallets of theirs alone. */
export const listHiddenInMerges = (changes: readonly Change[]): number[] =>
  changes
    .filter(({ operator }) => operator.hidden && operator.merged_into !== null)
    .map((change) => change.passport_id);

/** How many merges that were made here the lines of an import change. */
export const countMergesChanged = (changes: readonly Change[]): number =>
  changes.filter(
    ({ stored, byLine, operator }) =>
      byLine && stored !== null && isMergedHere(stored) && operator.merged_into !== stored.merged_into,
  ).length;

const isMergedHere = ({ merged_into, merged_by_line }: StoredState): boolean => merged_into !== null && !merged_by_line;

/**
 * Equal ETags mean equal facts: see the invariant in present/version.ts. Comparing ETags costs two
 * look-ups a person; comparing facts would read some twenty rows.
 */
function isUnchanged(change: Change, stored: StoredState): boolean {
  return (
    stored.etag === change.etag &&
    stored.credentials_etag === change.credentials_etag &&
    stored.presenter === change.presenter &&
    stored.credentials_presenter === change.credentials_presenter &&
    change.operator.hidden === stored.hidden &&
    change.operator.merged_into === stored.merged_into
  );
}

/** A hidden person has no documents; merges change them. */
const showsMoreThanFacts = (stored: StoredState): boolean =>
  stored.hidden || stored.merged_into !== null || stored.absorbs;

/** People per query: the size of their stored facts is unknown. */
const SLICE = 100;

/** The ETags of documents made from these people's facts alone. */
async function listFactsEtags(
  connection: Connection,
  states: readonly StoredState[],
): Promise<Map<number, Partial<StoredState>>> {
  const etags = new Map<number, Partial<StoredState>>();
  const { hidden = [], shown = [] } = Object.groupBy(states, (state) => (state.hidden ? "hidden" : "shown"));
  for (const ids of idSlices(hidden)) {
    // They have no documents that could be of another version of the presenter.
    for (const person of await readPeople(connection, ids)) {
      const { passport_id, etag, credentials_etag, presenter, credentials_presenter } = presentPerson(person);
      etags.set(passport_id, { etag, credentials_etag, presenter, credentials_presenter });
    }
  }
  for (const ids of idSlices(shown)) {
    for (const { passport } of await readPassports(connection, ids)) {
      etags.set(passport.passport_id, { etag: presentPassport(passport).etag });
    }
  }
  return etags;
}

const idSlices = (states: readonly StoredState[]): number[][] =>
  Array.from({ length: Math.ceil(states.length / SLICE) }, (_, index) =>
    states.slice(index * SLICE, (index + 1) * SLICE).map(({ passport_id }) => passport_id),
  );

/** An incoming value wins; an absent one leaves the stored value. */
function resolveOperator({ operator, byLine = false }: PreparedPerson, stored: StoredState | null): Change["operator"] {
  const { merged_into: before = null, merged_by_line = false } = stored ?? {};
  const merged_into = operator.merged_into === undefined ? before : operator.merged_into;
  return {
    hidden: operator.hidden ?? stored?.hidden ?? false,
    hidden_by: operator.hidden_by,
    merged_into,
    // Also if a line names a merge that was made here.
    merged_by_line: merged_into === before ? merged_by_line : byLine && merged_into !== null,
  };
}
