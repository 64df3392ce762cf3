import { type HeldPerson, readPeople } from "#operations/people/read-people.ts";
import { preparePeople } from "#operations/write/prepare-person.ts";
import { writePeople } from "#operations/write/save-people.ts";
import { type Connection, type Database, inTransaction } from "#store/engine/database.ts";
import { lockPeople } from "#store/engine/locks.ts";
import { insertAudit } from "#store/holders/audit.ts";
import { listAbsorbedIds, listSurvivorIds } from "#store/people/merges.ts";

/** What an operator may do about one person, erasing aside. */
export type PersonChange =
  | { action: "hide" | "unhide" | "unmerge"; passportId: number }
  | { action: "merge"; passportId: number; into: number };

/** `changed` is null when there is nothing to do; `refusal` says why it cannot be done. */
export type PlannedChange = { changed: HeldPerson | null; refusal: string | null };

/** What else a change means, for whoever decides on it. */
export async function findSideEffects(connection: Connection, change: PersonChange): Promise<string[]> {
  const absorbed = (await listAbsorbedIds(connection, [change.passportId])).join(", ");
  if (change.action === "hide" && absorbed !== "") {
    return [`Merged into it: ${absorbed}. Their wallets lead nowhere while it is hidden.`];
  }
  if (change.action !== "merge") return [];
  const people = await readPeople(connection, [change.passportId, change.into]);
  const operatorOf = (id: number) => people.find(({ passport }) => passport.passport_id === id)?.operator;
  const left = operatorOf(change.passportId)?.merged_into ?? null;
  return [
    ...(operatorOf(change.into)?.hidden
      ? [`Passport ${change.into} is hidden: the wallets lead nowhere meanwhile.`]
      : []),
    ...(left === null || left === change.into ? [] : [`It was merged into ${left}, and is no longer.`]),
    ...(absorbed === "" ? [] : [`Whoever was merged into it goes along: ${absorbed}.`]),
  ];
}

/** What a change would make of a person. */
export async function planChange(connection: Connection, change: PersonChange): Promise<PlannedChange> {
  const [person] = await readPeople(connection, [change.passportId]);
  if (person === undefined) return refused(`Nobody here is passport ${change.passportId}.`);
  const { passport, operator } = person;
  switch (change.action) {
    case "hide":
      return planned(!operator.hidden && { ...person, operator: { ...operator, hidden: true } });
    case "unhide":
      return planned(operator.hidden && { ...person, operator: { ...operator, hidden: false } });
    case "unmerge": {
      const apart = { passport: { ...passport, merged: false }, operator: { ...operator, merged_into: null } };
      return planned((passport.merged || operator.merged_into !== null) && { ...person, ...apart });
    }
    case "merge": {
      const refusal = await findMergeRefusal(connection, change.passportId, change.into);
      if (refusal !== null) return refused(refusal);
      const merged = { ...person, operator: { ...operator, merged_into: change.into } };
      return planned(operator.merged_into !== change.into && merged);
    }
  }
}

const planned = (changed: HeldPerson | false): PlannedChange => ({ changed: changed || null, refusal: null });
const refused = (refusal: string): PlannedChange => ({ changed: null, refusal });

async function findMergeRefusal(connection: Connection, passportId: number, into: number): Promise<string | null> {
  if (passportId === into) return "Nobody can be merged into themselves.";
  const [survivor] = await readPeople(connection, [into]);
  if (survivor === undefined) return `Nobody here is passport ${into}.`;
  const onward = await listSurvivorIds(connection, [into]);
  return onward.includes(passportId)
    ? `Passport ${into} was merged into ${passportId} itself, perhaps through others: that would be a circle.`
    : null;
}

/** Makes the change, its documents and a line in the audit, in one transaction. Says what became of it as `planChange` does. */
export function changePerson(database: Database, change: PersonChange): Promise<PlannedChange> {
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const plan = await planChange(connection, change);
    if (plan.changed === null) return plan;
    await writePeople(connection, preparePeople([plan.changed]));
    const into = change.action === "merge" ? change.into : null;
    await insertAudit(connection, change.action, [change.passportId], into);
    return plan;
  });
}
