import type { RowEncoder } from "#core/database/copy.ts";
import { type PreparedPerson, preparePerson } from "#people/write/prepare-person.ts";
import type { PersonLine } from "./import-run.ts";

/** `walletsDropped`: how many of the person's wallets opted out. */
export type AdjustedPerson = PreparedPerson & { walletsDropped: number };

/** The person without wallets that opted out. */
export function adjustPerson(
  { digest, incoming, person }: PersonLine,
  optedOut: ReadonlySet<string>,
  encode: RowEncoder,
): AdjustedPerson {
  const { main_wallet, verified_wallets } = person.passport;
  const isDropped = (address: string | null): boolean => address !== null && optedOut.has(address);
  const walletsDropped = [main_wallet, ...verified_wallets].filter(isDropped).length;
  if (walletsDropped === 0) return { ...person, walletsDropped };
  const kept = verified_wallets.filter((address) => !isDropped(address));
  const passport = { ...incoming.passport, verified_wallets: kept };
  return { ...preparePerson({ ...incoming, passport }, digest, encode), walletsDropped };
}
