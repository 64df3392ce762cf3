/**
 * Form: what a client's code sees: status, headers, fields, types, formats, order. Data: the values.
 */
export type DifferenceClass = "form" | "data";

/**
 * Why a difference is no fault of the new server. `noise`: the old server disagrees with itself.
 * `newer`: the person has a newer last_calculated_at there. `moved`: a person is on another
 * page because scores of other people changed. `decided`: it follows from a documented decision about
 * what the specification leaves open. `accepted`: the operator accepts differences of its kind.
 */
export type Explanation = "noise" | "newer" | "moved" | "decided" | "accepted";

/** A person on a page of one server only. Look-ups decide whether that is explained. */
export type AbsentPerson = { id: string; listedOn: "old" | "new"; isBetweenUnchanged: boolean };

export type Difference = {
  class: DifferenceClass;
  kind: string;
  /** The field without ids, such as `passports[].score`. It is printed. */
  field: string;
  /** The field with ids: the same difference in two responses has the same place. */
  place: string;
  old: unknown;
  new: unknown;
  explanation: Explanation | null;
  /** Of a decided difference: where the decision is documented. */
  decision?: string | undefined;
  /** Of an accepted difference: the name of its kind. */
  accepted?: string | undefined;
  absent?: AbsentPerson | undefined;
};

/** Where a value is: the field to print, and the place with ids. */
export type Path = { field: string; place: string };

export const ROOT: Path = { field: "", place: "" };

export const below = ({ field, place }: Path, name: string, printed = name): Path => ({
  field: field === "" ? printed : `${field}.${printed}`,
  place: `${place}.${name}`,
});

export const itemOf = ({ field, place }: Path, id: string): Path => ({ field: `${field}[]`, place: `${place}[${id}]` });

export type Found = Pick<Difference, "class" | "kind" | "old" | "new" | "absent"> & { explanation?: Explanation };
export type Emit = (path: Path, found: Found) => void;

export const form = (kind: string, old: unknown, next: unknown): Found => ({ class: "form", kind, old, new: next });
export const data = (kind: string, old: unknown, next: unknown): Found => ({ class: "data", kind, old, new: next });
