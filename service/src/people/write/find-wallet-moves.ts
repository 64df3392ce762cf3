import type { Connection } from "#core/database/database.ts";
import { type ListedWallet, listWallets } from "#people/facts/wallets.ts";
import { groupByPerson } from "#people/read/read-people.ts";
import type { Change } from "./find-changes.ts";
import type { Claim } from "./write-wallet-owners.ts";

export type WalletMoves = {
  /** People whose wallets are written: new people, and those whose wallets or owned wallets changed. */
  ids: number[];
  wallets: ListedWallet[];
  claims: Claim[];
  /** Addresses that these people listed before. */
  listedBefore: string[];
  /**
   * People who lose a wallet. The standing shows them without it at once: its holder may be erased
   * next.
   */
  losingIds: Set<number>;
};

/** Which wallets change hands, or may. */
export async function findWalletMoves(
  connection: Connection,
  changes: readonly Change[],
  known: readonly Change[],
): Promise<WalletMoves> {
  const stored =
    known.length === 0
      ? []
      : await listWallets(
          connection,
          known.map((change) => change.passport_id),
        );
  const storedOf = groupByPerson(stored);
  const moved = changes.filter((change) => isMoved(change, storedOf(change.passport_id)));
  const ids = new Set(moved.map((change) => change.passport_id));
  const before = stored.filter((wallet) => ids.has(wallet.passport_id));
  const wallets = moved.flatMap(listedWallets);
  const walletsOf = groupByPerson(wallets);
  const isLost = ({ passport_id, address }: ListedWallet): boolean =>
    !walletsOf(passport_id).some((wallet) => wallet.address === address);
  return {
    ids: [...ids],
    wallets,
    claims: moved.flatMap((change) =>
      listedWallets(change).map(({ address, passport_id }) => ({
        address,
        passport_id,
        isHidden: change.operator.hidden,
      })),
    ),
    listedBefore: before.map((wallet) => wallet.address),
    losingIds: new Set(before.filter(isLost).map((wallet) => wallet.passport_id)),
  };
}

/** Hidden people own no wallets, and merged ones only those that no unmerged record lists. */
function isMoved(change: Change, before: readonly ListedWallet[]): boolean {
  const { stored, passport, operator } = change;
  if (stored === null || stored.merged !== passport.merged || stored.hidden !== operator.hidden) return true;
  const now = listedWallets(change);
  return (
    now.length !== before.length ||
    now.some(
      ({ position, address }, index) => before[index]?.position !== position || before[index]?.address !== address,
    )
  );
}

/** Position 0 is the main wallet. */
const listedWallets = ({ passport_id, passport }: Change): ListedWallet[] =>
  [passport.main_wallet, ...passport.verified_wallets].flatMap((address, position) =>
    address === null ? [] : [{ passport_id, position, address }],
  );
