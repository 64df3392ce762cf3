import { groupByPerson } from "#operations/people/read-people.ts";
import type { Connection } from "#store/engine/database.ts";
import { type ListedWallet, listWallets } from "#store/people/wallets.ts";
import type { Change } from "./find-changes.ts";

/**
 * Whose wallets are to be written: all new people's, and those of others only if they list other wallets, or if what decides who
 * owns them has changed: a merge, or being hidden.
 * Who is `losing` one is to be shown without it at once, by the list too: it may be somebody's who is erased next.
 */
export async function findMoves(connection: Connection, changes: readonly Change[], known: readonly Change[]) {
  const listedBefore =
    known.length === 0
      ? []
      : await listWallets(
          connection,
          known.map((change) => change.passport_id),
        );
  const before = groupByPerson(listedBefore);
  const moved = changes.filter((change) => isMoved(change, before(change.passport_id)));
  const ids = new Set(moved.map((change) => change.passport_id));
  const wallets = moved.flatMap(listedWallets);
  const plain = new Set(moved.filter(isPlain).map((change) => change.passport_id));
  const kept = groupByPerson(wallets);
  const isLost = ({ passport_id, address }: ListedWallet): boolean =>
    ids.has(passport_id) && !kept(passport_id).some((wallet) => wallet.address === address);
  return {
    ids: [...ids],
    losing: new Set(listedBefore.filter(isLost).map((wallet) => wallet.passport_id)),
    wallets,
    claims: wallets.map(({ address, passport_id }) => ({ address, passport_id, plain: plain.has(passport_id) })),
    left: listedBefore.filter((wallet) => ids.has(wallet.passport_id)).map((wallet) => wallet.address),
  };
}

const isPlain = ({ merged, operator }: Change): boolean => !merged && operator.merged_into === null && !operator.hidden;

function isMoved(change: Change, before: readonly ListedWallet[]): boolean {
  const { held, merged, operator } = change;
  if (held === null || held.merged !== merged || held.merged_into !== operator.merged_into) return true;
  // A hidden person owns no wallet.
  if (held.hidden !== operator.hidden) return true;
  const now = listedWallets(change);
  return (
    now.length !== before.length ||
    now.some(({ position, address }, at) => before[at]?.position !== position || before[at]?.address !== address)
  );
}

const listedWallets = ({ passport_id, wallets }: Change): ListedWallet[] =>
  wallets.flatMap((address, position) => (address === null ? [] : [{ passport_id, position, address }]));
