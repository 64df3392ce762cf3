import { type PersonFacts, readPeople } from "#operations/people/read-people.ts";
import { preparePeople } from "#operations/write/prepare-person.ts";
import { writePeople } from "#operations/write/save-people.ts";
import type { Connection } from "#store/engine/database.ts";
import { insertHolderHide, listHiddenByHolder, type StoredRequest } from "#store/holder-requests/requests.ts";
import { insertAudit } from "#store/holders/audit.ts";

// All of it in the caller's transaction and under its lock of people.

/** Hides a person for a request. If the person is hidden already, nothing changes. */
export async function hideForHolder(
  connection: Connection,
  request: StoredRequest,
  person: PersonFacts,
): Promise<void> {
  if (person.operator.hidden) return;
  await writeVisibility(connection, person, true);
  await insertHolderHide(connection, request.passport_id);
  await insertAudit(connection, "hide", [request.passport_id], { requestId: request.request_id });
}

/** Shows a person again. Returns false if the operator hid them. */
export async function unhideForHolder(
  connection: Connection,
  request: StoredRequest,
  person: PersonFacts,
): Promise<boolean> {
  if (!person.operator.hidden) return true;
  if ((await listHiddenByHolder(connection, [request.passport_id])).length === 0) return false;
  await writeVisibility(connection, person, false);
  await insertAudit(connection, "unhide", [request.passport_id], { requestId: request.request_id });
  return true;
}

/** Undoes the hide of an erasure that does not take place. */
export async function restoreVisibility(connection: Connection, request: StoredRequest): Promise<void> {
  if (request.was_hidden !== false) return;
  const [person] = await readPeople(connection, [request.passport_id]);
  if (person !== undefined) await unhideForHolder(connection, request, person);
}

async function writeVisibility(connection: Connection, person: PersonFacts, hidden: boolean): Promise<void> {
  await writePeople(connection, preparePeople([{ ...person, operator: { ...person.operator, hidden } }]));
}
