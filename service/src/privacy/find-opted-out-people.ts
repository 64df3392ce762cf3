import type { Person } from "@credence/contract/person.ts";
import type { Connection } from "#core/database/database.ts";
import { canonicalWallet } from "#core/identity/wallet-address.ts";
import { findOptedOutWallets } from "./find-opted-out-wallets.ts";
import { listOptedOutIds } from "./opt-outs.ts";

export type FindOptedOut = (people: readonly Person[]) => Promise<ReadonlySet<number>>;

/** The ids of the people who opted out, by their id or by their main wallet. */
export async function findOptedOutPeople(
  connection: Connection,
  keys: readonly string[],
  people: readonly Person[],
): Promise<Set<number>> {
  const ids = people.map(({ passport }) => passport.passport_id);
  const walletOf = ({ passport: { main_wallet } }: Person) =>
    main_wallet === null ? null : canonicalWallet(main_wallet);
  const addresses = people.flatMap((person) => walletOf(person) ?? []);
  const wallets = await findOptedOutWallets(connection, keys, addresses);
  const byWallet = people
    .filter((person) => wallets.has(walletOf(person) ?? ""))
    .map(({ passport }) => passport.passport_id);
  return new Set([...(await listOptedOutIds(connection, ids)), ...byWallet]);
}
