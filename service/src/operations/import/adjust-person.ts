import { canonicalWallet } from "#identity/reference.ts";
import { type PreparedPerson, preparePerson } from "#operations/write/prepare-person.ts";
import { scoresOf } from "#scoring/score.ts";
import { readPerson } from "#snapshot/validate-line.ts";
import type { RowEncoder } from "#store/engine/copy.ts";
import type { Connection } from "#store/engine/database.ts";
import { listPassports } from "#store/people/passports.ts";
import type { HeldScores, PersonLine } from "./import-run.ts";

/** The scores that people have here, and when they were calculated. */
export async function listHeldScores(
  connection: Connection,
  passportIds: readonly number[],
): Promise<Map<number, HeldScores>> {
  const passports = await listPassports(connection, passportIds);
  return new Map(
    passports.map((one) => {
      const { passport_id, calculating_score, last_calculated_at } = one;
      return [passport_id, { ...scoresOf(one), calculating_score, last_calculated_at }];
    }),
  );
}

/**
 * A person without the wallets that opted out, and with the scores stored here if those count (`held` is null if not). A person who
 * was prepared with other wallets or scores is read and prepared again.
 */
export function adjustPerson(
  { file, line, digest, person: prepared, scores: preparedWith }: PersonLine,
  wallets: ReadonlySet<string>,
  held: ReadonlyMap<number, HeldScores> | null,
  press: RowEncoder,
): PreparedPerson & { walletsDropped: number } {
  const walletsDropped = prepared.wallets.filter((address) => address !== null && wallets.has(address)).length;
  const scores = held?.get(prepared.passport_id);
  if (walletsDropped === 0 && JSON.stringify(scores) === JSON.stringify(preparedWith)) {
    return { ...prepared, walletsDropped };
  }
  const { person } = readPerson(line);
  if (person === null) throw new Error(`Line ${line.number} of ${file} cannot be read a second time.`);
  const verified_wallets = person.passport.verified_wallets.filter((address) => !wallets.has(canonicalWallet(address)));
  const passport = { ...person.passport, ...scores, verified_wallets };
  return { ...preparePerson({ ...person, passport }, digest, press, held !== null), walletsDropped };
}
