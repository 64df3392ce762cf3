import assert from "node:assert/strict";
import { queryValue } from "#core/database/database.ts";
import type { HolderSettings } from "#holders/manage/settings.ts";
import { NOTES } from "#holders/request-notes.ts";
import { findWaitingRequests } from "#holders/waiting-requests.ts";
import { othersOf, type Snapshot, type StoredRequest, sharingWith } from "./snapshot.ts";
import { type Asked, isExplained, isForeign, isGenuine, type World } from "./world.ts";

type Settings = Pick<HolderSettings, "mode" | "domain" | "keys" | "optOutKey" | "graceMs">;

const OPEN = ["received", "unverifiable", "review", "waiting"];
const isOpen = (request: StoredRequest): boolean => OPEN.includes(request.state);
/** Not verified yet. */
const isNew = (request?: StoredRequest): boolean => request?.state === "received" || request?.state === "unverifiable";

/** The reason that the operator gives in these runs. */
export const REFUSED_BY_OPERATOR = "No.";

/** What is true at any time. */
export function checkAlways(world: World, now: Snapshot): void {
  for (const { requestId, passportId } of world.asked) {
    const request = now.requests.get(requestId);
    assert.ok(request?.shown, `request ${requestId} has no state`);
    const isHiddenRefusal = request.state === "refused" || request.completed_at === null;
    if (!isHiddenRefusal) assert.equal(request.shown, request.state, `request ${requestId}`);
    assert.equal(request.passport_id, passportId);
  }
  for (const [id, { hidden }] of now.people) {
    const requests = [...now.requests.values()].filter((request) => request.passport_id === id);
    const hasErasure = requests.some((request) => isOpen(request) && request.was_hidden !== null);
    const isWaiting = requests.some(({ state }) => state === "waiting");
    if (isWaiting) assert.ok(hidden, `passport ${id} is shown although its erasure waits`);
    const expected = world.hiddenByOperator.has(id) || wantsToBeHidden(world, id, requests) || hasErasure;
    assert.equal(hidden, expected, `passport ${id}: hidden`);
  }
}

/** A wallet finds the lowest shown number that lists it, and a merged record only if no unmerged one lists it. */
export async function checkWallets({ database, wallets }: World, { people }: Snapshot): Promise<void> {
  const { rows } = await database.query<{ address: string; found: number | null; listed_by: number[] }>(
    `select address, (select passport_id from wallet_owner where wallet_owner.address = wallet.address) as found,
       array (select passport_id from passport_document where position(wallet.address in passport_document::text) > 0 order by 1)::float[] as listed_by
     from unnest($1::text[]) as wallet (address)`,
    [wallets.map(({ address }) => address)],
  );
  for (const { address, found, listed_by } of rows) {
    const claims = [...people].filter(([, { listed }]) => listed.includes(address)).sort(([a], [b]) => a - b);
    const shown = claims.filter(([, { hidden }]) => !hidden);
    const isUnmergedListed = claims.some(([, { merged }]) => !merged);
    const owner = shown.find(([, { merged }]) => merged !== isUnmergedListed);
    const expected = { found: owner?.[0] ?? null, listed_by: shown.map(([id]) => id) };
    assert.deepEqual({ found, listed_by }, expected, `wallet ${address}`);
  }
}

/** Nobody who asked is overlooked. */
export async function checkCounts({ database }: World): Promise<void> {
  const { requests, unverifiable, in_review, erasures_accepted } = await findWaitingRequests(database);
  const open = await queryValue<number>(
    database,
    "select count(*)::int from holder_request where completed_at is null",
  );
  assert.equal(requests + unverifiable + in_review + erasures_accepted, open, "open requests that are counted");
}

/** The last wish that was heard: to be hidden, or to be shown. */
function wantsToBeHidden({ shownByOperator }: World, id: number, requests: readonly StoredRequest[]): boolean {
  const ended = shownByOperator.get(id) ?? new Date(0);
  const wishes = requests
    .filter(({ action }) => action === "hide" || action === "unhide")
    .filter(({ state, note }) => state === "done" || note === NOTES.hiddenByOperator)
    .filter(({ completed_at }) => (completed_at as Date) > ended)
    .toSorted((a, b) => Number(a.completed_at) - Number(b.completed_at));
  return wishes.at(-1)?.action === "hide";
}

/** What is true after workers or the operator have taken requests further. */
export function checkStep(world: World, before: Snapshot, after: Snapshot, settings: Settings): void {
  const moved = world.asked.filter(
    ({ requestId }) => before.requests.get(requestId)?.state !== after.requests.get(requestId)?.state,
  );
  for (const asked of moved) {
    checkEntitled(world, asked, before, after, settings);
    checkEnded(world, asked, before, after, settings);
    const { state, last, has_proof } = after.requests.get(asked.requestId) as StoredRequest;
    if (has_proof) assert.equal(last, state, `request ${asked.requestId}: its transitions`);
  }
  checkChanges(world, moved, before, after);
  rememberEndings(world, moved, before, after, settings);
}

/** Only genuine requests of listed wallets get further; erasures and data need the main wallet. */
function checkEntitled(world: World, asked: Asked, before: Snapshot, after: Snapshot, settings: Settings): void {
  const { requestId, passportId, address, action } = asked;
  const from = before.requests.get(requestId);
  const to = after.requests.get(requestId);
  const person = before.people.get(passportId);
  const name = `request ${requestId}: ${from?.state} to ${to?.state}`;
  const isFirst = isNew(from);
  const gets = to?.state === "done" || to?.state === "waiting" || to?.state === "review";
  if (isFirst && gets) assert.ok(isGenuine(asked, settings), `${name}, not genuine`);
  if (to?.state === "unverifiable") {
    assert.ok(!asked.isForged && isExplained(world), `${name}, and no settings explain it`);
  }
  // Only the operator refuses what a worker has accepted, whatever the record lists later.
  if (from?.state === "waiting" && to?.state === "refused") assert.equal(to.note, REFUSED_BY_OPERATOR, name);
  if (!gets) return;
  const isApproved = to.approved_for !== null;
  const lists = person?.listed.includes(address);
  if (to.state !== "review" && action !== "withdraw") assert.ok(lists || isApproved, `${name}, not listed`);
  // An accepted erasure goes to review if the main wallet changes, and the operator can approve it.
  const isChanged = (from?.state === "waiting" && to.state === "review") || to.approved_for?.includes(passportId);
  if (from?.state === "waiting" && to.state === "review") {
    const isLeft = person?.main !== address || to.note === NOTES.others || to.note === NOTES.postponed;
    assert.ok(isLeft, `${name}, although a worker had accepted it`);
  }
  if ((action === "erase" && !isChanged) || action === "see")
    assert.equal(person?.main, address, `${name}, not the main wallet`);
  if (to.state === "done" && action === "erase") {
    assert.ok(from?.state === "waiting" && from.is_due, `${name}, before the end of the grace period`);
    assert.ok(!asked.isWithdrawnByCode && !asked.isEnded, `${name}, although it was withdrawn`);
    const isOpenWithdrawal = (other: Asked) =>
      other.passportId === passportId &&
      other.requestId > requestId &&
      !other.isForged &&
      ["withdraw", "unhide"].includes(other.action) &&
      (other.address === address || other.address === person?.main) &&
      isNew(before.requests.get(other.requestId)) &&
      isOpen(after.requests.get(other.requestId) as StoredRequest);
    assert.ok(!world.asked.some(isOpenWithdrawal), `${name}, although somebody asked to withdraw it`);
  }
  if (to.state === "review" || action === "withdraw") return;
  const others = othersOf(before, asked);
  assert.ok(
    others.every((id) => to.approved_for?.includes(id)),
    `${name}, also affects ${others}, and the operator did not approve it`,
  );
  const isLeftToOperator = settings.mode !== "on" || asked.mode === "review";
  if (isLeftToOperator && from?.state !== "waiting") assert.ok(isApproved, `${name}, not approved`);
  if (to.state === "waiting" && isFirst) checkGrace(asked, to, settings);
}

const DAY_MS = 86_400_000;

/** Not before the date that the page or the worker names, and not later than 30 days after the receipt. */
function checkGrace({ requestId, graceMs, lateMinutes }: Asked, { received_at, due_at }: StoredRequest, its: Settings) {
  const waits = Number(due_at) - Number(received_at) + lateMinutes * 60_000;
  const name = `request ${requestId} waits ${waits} ms`;
  const promisedMs = Math.min(graceMs, 30 * DAY_MS - Math.abs(lateMinutes) * 60_000 - 60_000);
  assert.ok(waits >= Math.max(promisedMs, its.graceMs), name);
  assert.ok(waits <= 30 * DAY_MS + Math.abs(lateMinutes) * 60_000 + 60_000, name);
  if (graceMs <= its.graceMs) assert.ok(waits <= its.graceMs + 60_000, name);
}

/** A request ends early only by its code, by its wallet or by the main wallet. */
function checkEnded(world: World, ended: Asked, before: Snapshot, after: Snapshot, settings: Settings): void {
  const to = after.requests.get(ended.requestId)?.state;
  if ((to !== "withdrawn" && to !== "replaced") || ended.isWithdrawnByCode) return;
  const main = before.people.get(ended.passportId)?.main;
  const isEndedBy = (later: Asked): boolean => {
    if (later.passportId !== ended.passportId || later.requestId <= ended.requestId) return false;
    if (!isNew(before.requests.get(later.requestId)) || later.isForged) return false;
    // Of requests that cannot be verified, the newest of a wallet and action stays.
    const isSame = later.address === ended.address && later.action === ended.action;
    if (isSame && to === "replaced") return true;
    if (!isGenuine(later, settings)) return false;
    if ((later.action === "withdraw") !== (to === "withdrawn")) return false;
    if (later.action === "see" && ended.action !== "see") return false;
    if (later.address !== ended.address) return later.address === main && later.action !== "see";
    return !(later.action === "hide" && ended.action === "erase");
  };
  assert.ok(world.asked.some(isEndedBy), `request ${ended.requestId} is ${to}, and nobody entitled ended it`);
}

/** Records change only for a request about them, and with an entry in the audit log. */
function checkChanges(world: World, moved: readonly Asked[], before: Snapshot, after: Snapshot): void {
  const touched = new Set(
    moved.flatMap(({ requestId, passportId }) => [
      passportId,
      // A wallet finds others who list it while this person is hidden.
      ...sharingWith(before, passportId),
      ...(after.requests.get(requestId)?.approved_for ?? []),
    ]),
  );
  for (const id of world.ids) {
    const [old, current] = [before.people.get(id), after.people.get(id)];
    if (old?.record === current?.record) continue;
    assert.ok(touched.has(id), `passport ${id} changed, and no request was about it`);
    if (old?.hidden === current?.hidden && current !== undefined) continue;
    const action = current === undefined ? "erase" : current.hidden ? "hide" : "unhide";
    const countOf = ({ audit }: Snapshot) => audit.get(`${id} ${action}`) ?? 0;
    assert.ok(countOf(after) > countOf(before), `passport ${id}: ${action} is not in the audit log`);
  }
  for (const id of before.requests.keys()) assert.ok(after.requests.has(id), `request ${id} was deleted`);
}

/**
 * What a heard request must have ended. `withdraw` and `show` end erasures of the same wallet. Those of
 * the main wallet, and its other requests except `see`, end what other wallets asked for before.
 */
function rememberEndings(
  world: World,
  moved: readonly Asked[],
  before: Snapshot,
  after: Snapshot,
  settings: Settings,
): void {
  for (const heard of moved) {
    const to = after.requests.get(heard.requestId);
    const person = before.people.get(heard.passportId);
    const isHeard =
      isNew(before.requests.get(heard.requestId)) && isGenuine(heard, settings) && !heard.isWithdrawnByCode;
    if (!isHeard || !person?.listed.includes(heard.address)) continue;
    // Ended itself by a later one, or refused by the operator or because another wallet asked.
    if (to?.state === "withdrawn" || to?.state === "replaced") continue;
    if (to?.note === NOTES.main || to?.note === REFUSED_BY_OPERATOR) continue;
    for (const older of world.asked) {
      const isOlder = older.requestId < heard.requestId && older.passportId === heard.passportId;
      const wasOpen = OPEN.includes(before.requests.get(older.requestId)?.state ?? "");
      if (!isOlder || !wasOpen) continue;
      const endsErasure = older.action === "erase" && ["withdraw", "unhide"].includes(heard.action);
      const isReplaced =
        older.address === heard.address ? endsErasure : person.main === heard.address && heard.action !== "see";
      if (!isReplaced) continue;
      older.isEnded = true;
      const state = after.requests.get(older.requestId)?.state;
      assert.ok(!OPEN.includes(state ?? ""), `request ${older.requestId} is still ${state}`);
    }
  }
}

/** A worker without faults carries out what the main wallet of an unshared record asks for. */
export function checkMainWallet(world: World, before: Snapshot, after: Snapshot, settings: Settings): void {
  if (settings.mode !== "on" || settings.optOutKey === null) return;
  for (const asked of world.asked.filter(({ mode }) => mode === "on")) {
    const { requestId, passportId, address, action } = asked;
    const from = before.requests.get(requestId);
    const person = before.people.get(passportId);
    if (!isNew(from) || !from?.is_retried || !isGenuine(asked, settings) || asked.isWithdrawnByCode) continue;
    if (person?.main !== address || othersOf(before, asked).length > 0 || !after.people.has(passportId)) continue;
    const to = after.requests.get(requestId)?.state ?? "";
    const isHiddenByOperator = world.hiddenByOperator.has(passportId);
    const expected = {
      hide: ["done"],
      see: ["done"],
      withdraw: ["done"],
      unhide: isHiddenByOperator ? ["refused"] : ["done"],
      // A later request of the same batch can end it.
      erase: ["waiting", "withdrawn", "replaced"],
    }[action];
    // New requests go before those that are tried again.
    const isOvertaken = world.asked.some(
      (later) =>
        later.requestId > requestId && later.passportId === passportId && isNew(before.requests.get(later.requestId)),
    );
    if (isOvertaken && (to === "replaced" || to === "withdrawn")) continue;
    assert.ok(expected.includes(to), `request ${requestId} of the main wallet: ${action} is ${to}`);
  }
}

const listsWallet = ({ people }: Snapshot, passportId: number, address: string): boolean =>
  people.get(passportId)?.listed.includes(address) ?? false;

/** A request that no record lists is refused in the same words, and names nobody else. */
export function checkRefusals(world: World, before: Snapshot, after: Snapshot): void {
  for (const asked of world.asked) {
    const { requestId, passportId, address } = asked;
    const [from, to] = [before.requests.get(requestId), after.requests.get(requestId)];
    if (from?.state !== "received" || to?.state !== "refused") continue;
    const unlistedNote = `Passport ${passportId} does not list this wallet.`;
    // Its own erasure was carried out in the same step.
    if (before.people.has(passportId) && !after.people.has(passportId)) continue;
    const isUnlisted = !listsWallet(before, passportId, address);
    const isUnproven = asked.isForged || isUnlisted || (isForeign(asked) && !isExplained(world));
    if (!isUnproven) {
      assert.notEqual(to.note, unlistedNote, `request ${requestId} is refused as if nobody had signed it`);
      continue;
    }
    assert.equal(to.note, unlistedNote);
    assert.equal(to.has_proof, false, `request ${requestId} keeps what a stranger wrote`);
  }
}
