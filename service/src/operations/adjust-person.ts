import { canonicalWallet } from "#identity/reference.ts";
import { type Scores, scoresOf } from "#scoring/score.ts";
import { readPerson } from "#snapshot/read-person.ts";
import { createRowPress } from "#store/copy.ts";
import type { Connection } from "#store/database.ts";
import { listPassports, type StoredPassport } from "#store/passports.ts";
import type { GivenLine } from "./import-run.ts";
import { type PreparedPerson, preparePerson } from "./prepare-person.ts";

export type HeldScores = Scores & Pick<StoredPassport, "calculating_score" | "last_calculated_at">;

/** The scores that people have here, and when they were worked out. */
export async function listHeldScores(
  connection: Connection,
  lines: readonly GivenLine[],
): Promise<Map<number, HeldScores>> {
  const ids = lines.flatMap(({ passport_id, prepared }) => (prepared === null ? [] : (passport_id ?? [])));
  const passports = await listPassports(connection, ids);
  return new Map(
    passports.map((one) => {
      const { passport_id, calculating_score, last_calculated_at } = one;
      return [passport_id, { ...scoresOf(one), calculating_score, last_calculated_at }];
    }),
  );
}

/**
 * A person without the wallets that opted out, and with the scores held here if those count. Where that makes them other than
 * their line, it is read again.
 */
export function adjustPerson(
  one: GivenLine,
  prepared: PreparedPerson,
  wallets: ReadonlySet<string>,
  held: ReadonlyMap<number, HeldScores>,
) {
  const walletsDropped = prepared.wallets.filter((address) => address !== null && wallets.has(address)).length;
  const scores = held.get(prepared.passport_id);
  if (walletsDropped === 0 && scores === undefined) return { ...prepared, walletsDropped };
  const { person } = readPerson(one.line);
  if (person === null) throw new Error(`Line ${one.line.number} of ${one.file} cannot be read a second time.`);
  const verified_wallets = person.passport.verified_wallets.filter((address) => !wallets.has(canonicalWallet(address)));
  const passport = { ...person.passport, ...scores, verified_wallets };
  return { ...preparePerson({ ...person, passport }, one.digest, createRowPress()), walletsDropped };
}
