import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { deleteShownAfterBackup, listHiddenByHolder, updateHiddenByOperator } from "#people/facts/hidden-by-holder.ts";
import { type PersonFacts, readPeople } from "#people/read/read-people.ts";
import { preparePeople } from "#people/write/prepare-person.ts";
import { writePeople } from "#people/write/save-people.ts";
import { insertAudit } from "./audit.ts";
import { listOpenErasures } from "./requests-of-person.ts";

/** What an operator can do to one person, apart from erasing. */
export type PersonChange = { action: "hide" | "unhide"; passportId: number };

/** `changed` is null if there is nothing to do; `refusal` is the reason if it cannot be done. */
export type PlannedChange = { changed: PersonFacts | null; refusal: string | null };

/** The person after the change. Writes nothing. */
export async function planChange(connection: Connection, change: PersonChange): Promise<PlannedChange> {
  const [person] = await readPeople(connection, [change.passportId]);
  if (person === undefined) return refused(`There is no passport ${change.passportId}.`);
  const { hidden } = person.operator;
  if (change.action === "hide") {
    // A hide by the operator adds to one by the holder, who could undo the latter.
    const isByHolder = (await listHiddenByHolder(connection, [change.passportId])).length > 0;
    return planned((!hidden || isByHolder) && { ...person, operator: { hidden: true } });
  }
  const [erasure] = await listOpenErasures(connection, [change.passportId]);
  if (erasure !== undefined) {
    return refused(
      `Its holder asked to erase it: refuse request ${erasure.request_id} first, with \`credence requests refuse\`.`,
    );
  }
  return planned(hidden && { ...person, operator: { hidden: false } });
}

const planned = (changed: PersonFacts | false): PlannedChange => ({ changed: changed || null, refusal: null });
const refused = (refusal: string): PlannedChange => ({ changed: null, refusal });

/** Makes the change and an entry in the audit log, in one transaction. */
export function changePerson(database: Database, change: PersonChange): Promise<PlannedChange> {
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const plan = await planChange(connection, change);
    // The operator has decided, also if the person is hidden already.
    if (change.action === "hide") await deleteShownAfterBackup(connection, [change.passportId]);
    if (plan.changed === null) return plan;
    await writePeople(connection, preparePeople([plan.changed]));
    if (change.action === "hide") await updateHiddenByOperator(connection, [change.passportId]);
    await insertAudit(connection, change.action, [change.passportId]);
    return plan;
  });
}
