import { EXIT } from "#cli/terminal/exit-codes.ts";
import { Failure } from "#cli/terminal/failure.ts";
import { printable } from "#identity/unprintable.ts";
import { findPerson } from "#operations/people/find-person.ts";
import type { PersonFacts } from "#operations/people/read-people.ts";
import { configured, withDatabase } from "#process/connect.ts";
import { type Database, inTransaction } from "#store/engine/database.ts";
import { findOptedOutAt } from "#store/holders/opt-outs.ts";

/** Opens the database for a command about people. */
export function withPeople(work: (database: Database) => Promise<void>): Promise<void> {
  return withDatabase(configured().databaseUrl, "passport", work);
}

/** Who is meant, as of one moment; says so if that is nobody, or cannot be told. */
export async function requirePerson(database: Database, reference: string): Promise<PersonFacts> {
  const { person, several, unreadable } = await inTransaction(
    database,
    (connection) => findPerson(connection, reference),
    "repeatable read, read only",
  );
  if (person !== null) return person;
  if (unreadable) {
    throw new Failure(
      `${JSON.stringify(reference)} is neither a passport id nor a wallet.`,
      "Ids are digits; give a wallet whole.",
      EXIT.usage,
    );
  }
  if (several.length > 0) {
    throw new Failure(
      `Passports ${several.slice(0, 10).join(", ")}${several.length > 10 ? ", …" : ""} list that wallet.`,
      "Say which one you mean, by its id.",
    );
  }
  const erasedAt = await findErasedAt(database, reference);
  if (erasedAt !== null) {
    throw new Failure(
      `Passport ${Number(reference)} was erased on ${erasedAt.toISOString()}.`,
      "Nothing is stored about this person but the id and hashes of wallets. Imports skip them.",
    );
  }
  throw new Failure(
    `Nobody here is passport ${reference} or lists that wallet.`,
    "Check the id, or give a wallet whole.",
  );
}

/** When somebody was erased; null if they were not, or are not named by their id. */
export async function findErasedAt(database: Database, reference: string): Promise<Date | null> {
  return /^\d+$/.test(reference) ? findOptedOutAt(database, Number(reference)) : null;
}

/** "Passport 7 (Ada)": who can be told from a number alone? */
export function nameOf({ passport }: PersonFacts): string {
  const { display_name } = passport.passport_profile;
  return display_name === null
    ? `Passport ${passport.passport_id}`
    : `Passport ${passport.passport_id} (${printable(display_name)})`;
}

export const printScore = (score: number | null): string => (score === null ? "none" : String(score));
