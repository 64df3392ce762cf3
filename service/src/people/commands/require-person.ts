import { type Database, inTransaction } from "#core/database/database.ts";
import { withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { findOptedOutAt } from "#people/facts/opted-out.ts";
import { findPerson } from "#people/read/find-person.ts";
import type { PersonFacts } from "#people/read/read-people.ts";

/** Opens the database for a `credence passport` command. */
export function withPeople(
  terminal: Terminal,
  work: (database: Database) => Promise<void>,
  isDryRun = false,
): Promise<void> {
  return withDatabase(terminal, "passport", work, { isDryRun });
}

/** Loads a person by id or wallet. Fails if nobody or more than one person matches. */
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
      "An id has digits only; a wallet must be complete.",
      EXIT.usage,
    );
  }
  if (several.length > 0) {
    throw new Failure(
      `Passports ${several.slice(0, 10).join(", ")}${several.length > 10 ? ", …" : ""} list that wallet.`,
      "Use the passport id instead.",
    );
  }
  const erasedAt = await findErasedAt(database, reference);
  if (erasedAt !== null) {
    throw new Failure(
      `Passport ${Number(reference)} was erased on ${erasedAt.toISOString()}.`,
      "Only the id and hashes of wallets are stored. Imports skip this person.",
    );
  }
  throw new Failure(`Not found: no person has the id or wallet ${reference}.`, "Check it. A wallet must be complete.");
}

/** When the person was erased; null if they were not, or if `reference` is not an id. */
export async function findErasedAt(database: Database, reference: string): Promise<Date | null> {
  return /^\d+$/.test(reference) ? findOptedOutAt(database, Number(reference)) : null;
}

/** "Passport 7 (Ada)". The name helps an operator to notice a wrong id. */
export function nameOf({ passport }: PersonFacts): string {
  const { display_name } = passport.passport_profile;
  return display_name === null
    ? `Passport ${passport.passport_id}`
    : `Passport ${passport.passport_id} (${printable(display_name)})`;
}

export const formatScore = (score: number | null): string => (score === null ? "none" : String(score));
