import { readPeople } from "#operations/people/read-people.ts";
import type { Connection } from "#store/engine/database.ts";
import { listHiddenByHolder, type StoredRequest } from "#store/holder-requests/requests.ts";
import { listClaims } from "#store/people/wallets.ts";
import { findOthersInvolved } from "./find-others.ts";
import type { HolderSettings } from "./settings.ts";

/** `note` is shown to the holder. */
export type Decision = { next: "carry out" } | { next: "review" | "refused"; note: string };

// Notes name no other person: who else lists a wallet is not for the holder to learn.
const NOTES = {
  gone: "The passport does not list this wallet any more.",
  main: "Only the main wallet of the record can ask for this.",
  operator: "The operator hid this record. Write to the operator.",
  review: "The operator decides on this request.",
  others: "The request could affect another record, so the operator decides on it.",
} as const;

/** What happens to a verified request. */
export async function decideRequest(
  connection: Connection,
  request: StoredRequest,
  { mode, optOutKey }: HolderSettings,
): Promise<Decision> {
  const refusal = await findRefusal(connection, request);
  if (refusal !== null) return { next: "refused", note: refusal };
  if ((await findUnapproved(connection, request)).length > 0) return { next: "review", note: NOTES.others };
  const isApproved = request.approved_for !== null;
  if (mode !== "on" && !isApproved) return { next: "review", note: NOTES.review };
  if (request.action === "erase" && optOutKey === null) return { next: "review", note: NOTES.review };
  return { next: "carry out" };
}

/** People whose records the request could also change, without those that the operator has approved. */
async function findUnapproved(connection: Connection, request: StoredRequest): Promise<number[]> {
  const others = await findOthersInvolved(connection, request);
  return others.filter((id) => !(request.approved_for ?? []).includes(id));
}

async function findRefusal(connection: Connection, { passport_id, action, address }: StoredRequest) {
  const claims = (await listClaims(connection, [address])).filter((claim) => claim.passport_id === passport_id);
  if (claims.length === 0) return NOTES.gone;
  const isMain = claims.some((claim) => claim.position === 0);
  if ((action === "erase" || action === "see") && !isMain) return NOTES.main;
  if (action !== "unhide") return null;
  const [person] = await readPeople(connection, [passport_id]);
  const isByHolder = (await listHiddenByHolder(connection, [passport_id])).length > 0;
  return person?.operator.hidden && !isByHolder ? NOTES.operator : null;
}
