import type { Connection } from "#core/database/database.ts";
import { listMergedHere } from "#people/facts/merges.ts";
import { findMergeCycles } from "./find-merge-cycles.ts";
import type { PersonLine } from "./import-run.ts";

/**
 * On a mirror, merges that were made here stay. Lines of the publisher that would undo one, or close a
 * cycle with one, leave the stored merge as it is.
 */
export async function keepOwnMerges(connection: Connection, people: readonly PersonLine[]): Promise<PersonLine[]> {
  const ids = people.map(({ person }) => person.passport_id);
  const mergedHere = new Set(await listMergedHere(connection, ids));
  const kept = people.map((line) => (mergedHere.has(line.person.passport_id) ? withoutMerge(line) : line));
  const cycles = await findMergeCycles(
    connection,
    kept.map(({ person }) => person),
  );
  return kept.map((line) => (cycles.has(line.person.passport_id) ? withoutMerge(line) : line));
}

function withoutMerge({ person, ...line }: PersonLine): PersonLine {
  const { merged_into: _, ...operator } = person.operator;
  return { ...line, person: { ...person, operator } };
}
