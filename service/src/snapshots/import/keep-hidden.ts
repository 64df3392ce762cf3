import type { Connection } from "#core/database/database.ts";
import { insertHolderHides, listKeptHidden } from "#people/facts/hidden-by-holder.ts";
import type { PreparedPerson } from "#people/write/prepare-person.ts";
import { insertAudit } from "#privacy/audit.ts";
import { deletePendingHides, type PendingHide } from "#privacy/pending-hides.ts";

/** Hides people who were not stored when they were hidden, or since. */
export function applyPendingHides<Incoming extends PreparedPerson>(
  people: readonly Incoming[],
  pending: readonly PendingHide[],
): Incoming[] {
  const hides = new Map(pending.map((hide) => [hide.passport_id, hide]));
  return people.map((person) => {
    const hide = hides.get(person.passport_id);
    if (hide === undefined) return person;
    const { hidden_by: _, ...operator } = person.operator;
    const byHolder = hide.by_operator ? {} : { hidden_by: "holder" as const };
    return { ...person, operator: { ...operator, hidden: true, ...byHolder } };
  });
}

export async function recordPendingHides(connection: Connection, pending: readonly PendingHide[]): Promise<void> {
  if (pending.length === 0) return;
  const ids = pending.map(({ passport_id }) => passport_id);
  const byBoth = pending.filter(({ by_holder, by_operator }) => by_holder && by_operator);
  await insertHolderHides(
    connection,
    byBoth.map(({ passport_id }) => passport_id),
    true,
  );
  await insertAudit(connection, "hide", ids);
  await deletePendingHides(connection, ids);
}

/**
 * A line that would show people who hid by signature, or whose erasure waits, keeps them hidden. A line
 * that hides them adds the operator's decision, which a signature does not undo: `alsoHiddenIds`. A
 * person without `hidden` keeps the stored value. Writes nothing.
 */
export async function keepHidden<Incoming extends PreparedPerson>(connection: Connection, people: readonly Incoming[]) {
  const alsoHidden = people.filter(({ operator }) => operator.hidden === true && operator.hidden_by !== "holder");
  const shown = people.filter(({ operator }) => operator.hidden === false).map(({ passport_id }) => passport_id);
  const hidden = new Set(shown.length === 0 ? [] : await listKeptHidden(connection, shown));
  const incoming = people.map((person): Incoming => {
    const { hidden: _, ...operator } = person.operator;
    return hidden.has(person.passport_id) ? { ...person, operator } : person;
  });
  return { incoming, keptHidden: hidden.size, alsoHiddenIds: alsoHidden.map(({ passport_id }) => passport_id) };
}
