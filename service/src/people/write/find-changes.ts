import type { Connection } from "#core/database/database.ts";
import { presentPerson } from "#people/documents/make-documents.ts";
import { listStoredStates, type StoredState } from "#people/facts/stored-states.ts";
import { readPeople } from "#people/read/read-people.ts";
import type { PreparedPerson } from "./prepare-person.ts";

/** An incoming person that differs from the stored state, which is null for a new person. */
export type Change = Omit<PreparedPerson, "operator"> & {
  stored: StoredState | null;
  operator: { hidden: boolean; hidden_by: "holder" | undefined };
};

/** Of the incoming people, those that differ from their stored state. */
export async function findChanges(connection: Connection, incoming: readonly PreparedPerson[]): Promise<Change[]> {
  const states = await listStoredStates(
    connection,
    incoming.map((person) => person.passport_id),
  );
  const storedById = new Map(states.map((state) => [state.passport_id, state]));
  const hiddenEtags = await listHiddenEtags(connection, states);
  return incoming.flatMap((person) => {
    const found = storedById.get(person.passport_id);
    const stored = found === undefined ? null : { ...found, ...hiddenEtags.get(person.passport_id) };
    const change = { ...person, stored, operator: resolveOperator(person, stored) };
    return stored !== null && isUnchanged(change, stored) ? [] : [change];
  });
}

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
    change.operator.hidden === stored.hidden
  );
}

/** People per query: the size of their stored facts is unknown. */
const SLICE = 100;

/** Hidden people have no documents: the ETags of those that their facts would give. */
async function listHiddenEtags(
  connection: Connection,
  states: readonly StoredState[],
): Promise<Map<number, Partial<StoredState>>> {
  const etags = new Map<number, Partial<StoredState>>();
  const hiddenIds = states.filter(({ hidden }) => hidden).map(({ passport_id }) => passport_id);
  for (let index = 0; index < hiddenIds.length; index += SLICE) {
    for (const person of await readPeople(connection, hiddenIds.slice(index, index + SLICE))) {
      const { passport_id, etag, credentials_etag, presenter, credentials_presenter } = presentPerson(person);
      etags.set(passport_id, { etag, credentials_etag, presenter, credentials_presenter });
    }
  }
  return etags;
}

/** An incoming value wins; an absent one leaves the stored value. */
const resolveOperator = ({ operator }: PreparedPerson, stored: StoredState | null): Change["operator"] => ({
  hidden: operator.hidden ?? stored?.hidden ?? false,
  hidden_by: operator.hidden_by,
});
