import { keepPersonFields } from "./keep-known-fields.ts";
import { findWrongTypes } from "./wrong-types.ts";

/** How often a field has a problem. */
export type FieldCount = { field: string; count: number };
type WrongType = FieldCount & { problem: string };
type Converted = FieldCount & { conversion: string };

/** Counts fields that V1 does not have, and values of a wrong type, over a whole source. */
export type FieldCounts = {
  addUnknown: (field: string) => void;
  /** A value that was converted to the type of V1 without a loss. */
  addConverted: (field: string, conversion: string) => void;
  /** Counts the wrong types of a part of a person; `path` is where the part belongs. */
  addWrongTypes: (part: unknown, path: "" | "passport" | "credentials") => void;
  /** Counts all of this in a line that was refused. */
  addLine: (person: unknown) => void;
  listUnknown: () => FieldCount[];
  listWrongTypes: () => WrongType[];
  listConverted: () => Converted[];
};

/** Names of fields come from the data: they and their number are bounded. */
const MAX_FIELDS = 1_000;
const MAX_NAME_CHARACTERS = 200;

export function createFieldCounts(): FieldCounts {
  const unknown = new Map<string, number>();
  const wrongTypes = new Map<string, WrongType>();
  /** Fields of V1 only, so their number is bounded. */
  const converted = new Map<string, Converted>();
  const addUnknown = (field: string): void => {
    const name = field.slice(0, MAX_NAME_CHARACTERS);
    if (unknown.has(name) || unknown.size < MAX_FIELDS) unknown.set(name, (unknown.get(name) ?? 0) + 1);
  };
  const addWrongTypes: FieldCounts["addWrongTypes"] = (part, path) => {
    for (const { field, problem } of findWrongTypes(part, path)) {
      const key = `${field} ${problem}`;
      const entry = wrongTypes.get(key) ?? { field, problem, count: 0 };
      entry.count += 1;
      if (wrongTypes.has(key) || wrongTypes.size < MAX_FIELDS) wrongTypes.set(key, entry);
    }
  };
  return {
    addUnknown,
    addConverted: (field, conversion) => {
      const key = `${field} ${conversion}`;
      const entry = converted.get(key) ?? { field, conversion, count: 0 };
      entry.count += 1;
      converted.set(key, entry);
    },
    addWrongTypes,
    addLine: (person) => {
      keepPersonFields(person, addUnknown);
      addWrongTypes(person, "");
    },
    listUnknown: () => [...unknown].map(([field, count]) => ({ field, count })).sort(byCount),
    listWrongTypes: () => [...wrongTypes.values()].sort(byCount),
    listConverted: () => [...converted.values()].sort(byCount),
  };
}

const byCount = (a: FieldCount, b: FieldCount): number => b.count - a.count || (a.field < b.field ? -1 : 1);
