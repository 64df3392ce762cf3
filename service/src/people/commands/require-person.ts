import { type Database, inTransaction } from "#core/database/database.ts";
import { parseReference } from "#core/identity/reference.ts";
import { withDatabase } from "#core/process/connect.ts";
import { EXIT } from "#core/terminal/exit-codes.ts";
import { Failure } from "#core/terminal/failure.ts";
import type { Terminal } from "#core/terminal/terminal.ts";
import { printable } from "#core/terminal/unprintable.ts";
import { findErasedAt } from "#people/facts/people.ts";
import { findPerson } from "#people/find-person.ts";
import type { PersonFacts } from "#people/line.ts";

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
  const { person, passportId } = await findReferenced(database, reference);
  if (person !== null) return person;
  const erasedAt = await findErasedAt(database, passportId);
  if (erasedAt !== null) {
    throw new Failure(
      `Passport ${passportId} was erased on ${erasedAt.toISOString()}.`,
      "Only the id and hashes of wallets are stored. Imports skip this person.",
    );
  }
  throw notFound(reference);
}

/** The person that a command names. Null: nobody with this id is stored, which a decision may be about all the same. */
export async function findReferenced(
  database: Database,
  reference: string,
): Promise<{ passportId: number; person: PersonFacts | null }> {
  const parsed = parseReference(reference);
  if (parsed === null) {
    throw new Failure(
      `${JSON.stringify(reference)} is neither a passport id nor a wallet.`,
      "An id has digits only; a wallet must be complete.",
      EXIT.usage,
    );
  }
  const { person, several } = await inTransaction(
    database,
    (connection) => findPerson(connection, parsed),
    "repeatable read, read only",
  );
  if (person !== null) return { passportId: person.passport.passport_id, person };
  if (several.length > 0) {
    throw new Failure(
      `Passports ${several.slice(0, 10).join(", ")}${several.length > 10 ? ", …" : ""} list that wallet.`,
      "Use the passport id instead.",
    );
  }
  if (parsed.kind === "wallet") throw notFound(reference);
  return { passportId: parsed.passportId, person: null };
}

const notFound = (reference: string): Failure =>
  new Failure(`Not found: no person has the id or wallet ${reference}.`, "Check it. A wallet must be complete.");

/** "Passport 7 (Ada)". The name helps an operator to notice a wrong id. */
export function nameOf({ passport }: PersonFacts): string {
  const { display_name } = passport.passport_profile;
  return display_name === null
    ? `Passport ${passport.passport_id}`
    : `Passport ${passport.passport_id} (${printable(display_name)})`;
}

export const formatScore = (score: number | null): string => (score === null ? "none" : String(score));
