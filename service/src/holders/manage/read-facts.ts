import type { Connection } from "#core/database/database.ts";
import { listHiddenByHolder } from "#people/facts/hidden-by-holder.ts";
import { listClaims, listWallets } from "#people/facts/wallets.ts";
import { type PersonFacts, readPeople } from "#people/read/read-people.ts";
import type { Facts } from "./request-rules.ts";
import { lockOpenRequestsOf, type OpenRequest } from "./requests.ts";

type Asked = Pick<OpenRequest, "passport_id" | "action" | "address">;

/** What the next state of a request depends on. Under the caller's lock of people. */
export async function readFacts(connection: Connection, request: OpenRequest): Promise<Facts> {
  const { passport_id, request_id } = request;
  const [person] = await readPeople(connection, [passport_id]);
  const open = await lockOpenRequestsOf(connection, passport_id);
  return {
    listing: await findListing(connection, request),
    main: (await listWallets(connection, [passport_id])).find(({ position }) => position === 0)?.address ?? null,
    visibility: await findVisibility(connection, person),
    others: await findOthersInvolved(connection, request),
    open: open.filter((other) => other.request_id !== request_id),
  };
}

async function findListing(connection: Connection, { passport_id, address }: Asked): Promise<Facts["listing"]> {
  const claims = (await listClaims(connection, [address])).filter((claim) => claim.passport_id === passport_id);
  if (claims.length === 0) return null;
  return claims.some((claim) => claim.position === 0) ? "main" : "further";
}

async function findVisibility(connection: Connection, person?: PersonFacts): Promise<Facts["visibility"]> {
  if (!person?.operator.hidden) return "shown";
  const isByHolder = (await listHiddenByHolder(connection, [person.passport.passport_id])).length > 0;
  return isByHolder ? "hidden by holder" : "hidden by operator";
}

/**
 * Other people whose record the request could change: those that list the wallet that signed, and for an
 * erasure those that list any wallet of the person. Without the operator, a request is carried out only if
 * there are none.
 */
export async function findOthersInvolved(
  connection: Connection,
  { passport_id, action, address }: Asked,
): Promise<number[]> {
  const listed = action === "erase" ? await listWallets(connection, [passport_id]) : [];
  const claims = await listClaims(connection, [address, ...listed.map((wallet) => wallet.address)]);
  const involved = new Set(claims.map((claim) => claim.passport_id));
  involved.delete(passport_id);
  return [...involved].toSorted((a, b) => a - b);
}
