import { canonicalWallet } from "#identity/reference.ts";
import { type Scores, scoresOf } from "#scoring/score.ts";
import { readPerson } from "#snapshot/read-person.ts";
import type { RowPress } from "#store/copy.ts";
import type { Connection } from "#store/database.ts";
import { listPassports, type StoredPassport } from "#store/passports.ts";
import { preparePerson } from "./prepare-person.ts";
import type { PersonLine } from "./sort-lines.ts";

export type HeldScores = Scores & Pick<StoredPassport, "calculating_score" | "last_calculated_at">;

/** The scores that people have here, and when they were worked out. */
export async function listHeldScores(
  connection: Connection,
  lines: readonly PersonLine[],
): Promise<Map<number, HeldScores>> {
  const passports = await listPassports(
    connection,
    lines.map(({ person }) => person.passport_id),
  );
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
  { file, line, digest, person: prepared }: PersonLine,
  wallets: ReadonlySet<string>,
  held: ReadonlyMap<number, HeldScores>,
  press: RowPress,
) {
  const walletsDropped = prepared.wallets.filter((address) => address !== null && wallets.has(address)).length;
  const scores = held.get(prepared.passport_id);
  if (walletsDropped === 0 && scores === undefined) return { ...prepared, walletsDropped };
  const { person } = readPerson(line);
  if (person === null) throw new Error(`Line ${line.number} of ${file} cannot be read a second time.`);
  const verified_wallets = person.passport.verified_wallets.filter((address) => !wallets.has(canonicalWallet(address)));
  const passport = { ...person.passport, ...scores, verified_wallets };
  return { ...preparePerson({ ...person, passport }, digest, press), walletsDropped };
}
