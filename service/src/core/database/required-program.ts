import type { Connection } from "./database.ts";
import { codeOf, UNDEFINED_TABLE } from "./failures.ts";

/**
 * The level of this program. A migration that older programs would not understand sets a higher level
 * in `required_program`, with the reason, and raises this number. CONTRIBUTING.md has the rules. Level 2
 * is required while fields are carried: carried-fields/require-level.ts.
 */
const PROGRAM_LEVEL = 2;

export type RequiredProgram = { level: number; reason: string };

export const FIND_REQUIRED_PROGRAM = "select level, reason from required_program";

/** The database was migrated by a program that this one does not understand. */
export class ProgramTooOld extends Error {
  override name = "ProgramTooOld";
  readonly advice = "Stop this program, and start the version that was used last with the database, or a newer one.";

  constructor({ reason }: RequiredProgram) {
    super(`This version of Credence is too old for the database: ${reason}`);
  }
}

export function requireLevel(required: RequiredProgram | undefined): void {
  if (required !== undefined && required.level > PROGRAM_LEVEL) throw new ProgramTooOld(required);
}

/** Throws if this program is too old for the database. */
export async function requireProgram(connection: Connection): Promise<void> {
  try {
    const { rows } = await connection.query<RequiredProgram>(FIND_REQUIRED_PROGRAM);
    requireLevel(rows[0]);
  } catch (error) {
    // A schema that is not migrated yet.
    if (codeOf(error) !== UNDEFINED_TABLE) throw error;
  }
}
