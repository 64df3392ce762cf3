import { type Connection, type Database, inTransaction } from "#core/database/database.ts";
import { lockPeople } from "#core/database/locks.ts";
import { deleteShownAfterBackup, listHiddenByHolder, updateHiddenByOperator } from "#people/facts/hidden-by-holder.ts";
import { listAbsorbedIds, listSurvivorIds } from "#people/facts/merges.ts";
import { deleteAbsent, listAbsent, updateHiddenHere } from "#people/facts/mirror-absent.ts";
import { isMirror } from "#people/facts/mirror-state.ts";
import { listHiddenIds, listPassports } from "#people/facts/passports.ts";
import { type PersonFacts, readPeople } from "#people/read/read-people.ts";
import { preparePeople } from "#people/write/prepare-person.ts";
import { writePeople } from "#people/write/save-people.ts";
import { insertAudit } from "./audit.ts";
import { listOpenErasures } from "./requests-of-person.ts";

/** What an operator can do to one person, apart from erasing. */
export type PersonChange =
  | { action: "hide" | "unhide" | "unmerge"; passportId: number }
  | { action: "merge"; passportId: number; into: number };

/** `changed` is null if there is nothing to do; `refusal` is the reason if it cannot be done. */
export type PlannedChange = { changed: PersonFacts | null; refusal: string | null };

/** Further effects of a change, for the operator who decides on it. */
export async function findSideEffects(connection: Connection, change: PersonChange): Promise<string[]> {
  const { action, passportId } = change;
  const absorbed = await listAbsorbedIds(connection, [passportId]);
  const survivor = await findSurvivor(connection, action === "merge" ? change.into : passportId);
  const isAbsorbed = survivor.passportId !== passportId;
  const lists = `Passport ${survivor.passportId}, into which it is merged,`;
  if (action === "hide") {
    if (isAbsorbed) return survivor.hidden ? [] : [`${lists} does not list its wallets while it is hidden.`];
    const others = `Merged into it: ${absorbed.join(", ")}. Their wallets have no owner while it is hidden.`;
    return absorbed.length === 0 ? [] : [others];
  }
  if (action === "unhide") return isAbsorbed && !survivor.hidden ? [`${lists} lists its wallets again.`] : [];
  if (action !== "merge") return [];
  const [person] = await listPassports(connection, [passportId]);
  const previous = person?.merged_into ?? null;
  const hidden = await listHiddenIds(connection, [passportId, ...absorbed]);
  return [
    ...(survivor.hidden
      ? [`Passport ${survivor.passportId} is hidden: the wallets have no owner until it is shown again.`]
      : []),
    ...(previous === null || previous === change.into ? [] : [`It will no longer be merged into ${previous}.`]),
    ...(absorbed.length === 0 ? [] : [`Records that were merged into it come along: ${absorbed.join(", ")}.`]),
    ...(hidden.length === 0
      ? []
      : [
          `Hidden: ${hidden.join(", ")}. Wallets that only hidden records list lead to nobody, and are listed nowhere.`,
        ]),
  ];
}

/** The end of the chain of merges; the person if there is none. */
async function findSurvivor(
  connection: Connection,
  passportId: number,
): Promise<{ passportId: number; hidden: boolean }> {
  const chain = await listPassports(connection, await listSurvivorIds(connection, [passportId]));
  const last = chain.find(({ merged_into }) => merged_into === null);
  return { passportId: last?.passport_id ?? passportId, hidden: last?.hidden ?? false };
}

/** The person after the change. Writes nothing. */
export async function planChange(connection: Connection, change: PersonChange): Promise<PlannedChange> {
  const [person] = await readPeople(connection, [change.passportId]);
  if (person === undefined) return refused(`There is no passport ${change.passportId}.`);
  const { passport, operator } = person;
  switch (change.action) {
    case "hide": {
      // A hide by the operator adds to one by the holder, who could undo the latter.
      const isByHolder = (await listHiddenByHolder(connection, [change.passportId])).length > 0;
      return planned((!operator.hidden || isByHolder) && { ...person, operator: { ...operator, hidden: true } });
    }
    case "unhide": {
      if ((await listAbsent(connection, [change.passportId])).length > 0 && (await isMirror(connection))) {
        return refused("The publisher of this mirror does not show it, so this server does not either.");
      }
      const [erasure] = await listOpenErasures(connection, [change.passportId]);
      if (erasure !== undefined) {
        return refused(
          `Its holder asked to erase it: refuse request ${erasure.request_id} first, with \`credence requests refuse\`.`,
        );
      }
      return planned(operator.hidden && { ...person, operator: { ...operator, hidden: false } });
    }
    case "unmerge": {
      const unmerged = { passport: { ...passport, merged: false }, operator: { ...operator, merged_into: null } };
      return planned((passport.merged || operator.merged_into !== null) && { ...person, ...unmerged });
    }
    case "merge": {
      const refusal = await findMergeRefusal(connection, change.passportId, change.into);
      if (refusal !== null) return refused(refusal);
      const merged = { ...person, operator: { ...operator, merged_into: change.into } };
      return planned(operator.merged_into !== change.into && merged);
    }
  }
}

const planned = (changed: PersonFacts | false): PlannedChange => ({ changed: changed || null, refusal: null });
const refused = (refusal: string): PlannedChange => ({ changed: null, refusal });

async function findMergeRefusal(connection: Connection, passportId: number, into: number): Promise<string | null> {
  if (passportId === into) return "A record cannot be merged into itself.";
  const [survivor] = await readPeople(connection, [into]);
  if (survivor === undefined) return `There is no passport ${into}.`;
  const chain = await listSurvivorIds(connection, [into]);
  return chain.includes(passportId)
    ? `Passport ${into} is merged into ${passportId}, directly or through others: that would be a merge cycle.`
    : null;
}

/** Makes the change and an entry in the audit log, in one transaction. */
export function changePerson(database: Database, change: PersonChange): Promise<PlannedChange> {
  return inTransaction(database, async (connection) => {
    await lockPeople(connection);
    const plan = await planChange(connection, change);
    // The operator has decided, also if the person is hidden already.
    if (change.action === "hide") {
      await deleteShownAfterBackup(connection, [change.passportId]);
      await updateHiddenHere(connection, [change.passportId], true);
    }
    if (plan.changed === null) return plan;
    if (change.action === "unhide") await deleteAbsent(connection, change.passportId);
    await writePeople(connection, preparePeople([plan.changed]));
    if (change.action === "hide") await updateHiddenByOperator(connection, [change.passportId]);
    const mergedInto = change.action === "merge" ? change.into : null;
    await insertAudit(connection, change.action, [change.passportId], { mergedInto });
    return plan;
  });
}
