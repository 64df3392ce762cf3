import { findConversions } from "./conversions.ts";
import { keepPersonFields } from "./known-fields.ts";

/** How often a field has a problem. */
export type FieldCount = { field: string; count: number };
type WrongType = FieldCount & { problem: string; jq: string | null };

/** Counts fields that V1 does not have, and values of a wrong type, over a whole source. */
export type FieldCounts = {
  addUnknown: (field: string) => void;
  /** Counts the wrong types of a part of a person; `path` is where the part belongs. */
  addWrongTypes: (part: unknown, path: "" | "passport" | "credentials") => void;
  /** Counts all of this in a line that was refused. */
  addLine: (person: unknown) => void;
  listUnknown: () => FieldCount[];
  listWrongTypes: () => WrongType[];
};

/** Names of fields come from the data: they and their number are bounded. */
const MAX_FIELDS = 1_000;
const MAX_NAME_CHARACTERS = 200;

export function createFieldCounts(): FieldCounts {
  const unknown = new Map<string, number>();
  const wrongTypes = new Map<string, WrongType>();
  const addUnknown = (field: string): void => {
    const name = field.slice(0, MAX_NAME_CHARACTERS);
    if (unknown.has(name) || unknown.size < MAX_FIELDS) unknown.set(name, (unknown.get(name) ?? 0) + 1);
  };
  const addWrongTypes: FieldCounts["addWrongTypes"] = (part, path) => {
    for (const { field, problem, jq } of findConversions(part, path)) {
      const key = `${field} ${problem}`;
      const entry = wrongTypes.get(key) ?? { field, problem, jq, count: 0 };
      entry.count += 1;
      if (wrongTypes.has(key) || wrongTypes.size < MAX_FIELDS) wrongTypes.set(key, entry);
    }
  };
  return {
    addUnknown,
    addWrongTypes,
    addLine: (person) => {
      keepPersonFields(person, addUnknown);
      addWrongTypes(person, "");
    },
    listUnknown: () => [...unknown].map(([field, count]) => ({ field, count })).sort(byCount),
    listWrongTypes: () => [...wrongTypes.values()].sort(byCount),
  };
}

const byCount = (a: FieldCount, b: FieldCount): number => b.count - a.count || (a.field < b.field ? -1 : 1);
