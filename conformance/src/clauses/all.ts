import type { Clause } from "../clause.ts";
import { HEADER_CLAUSES } from "./headers.ts";
import { LIST_CLAUSES } from "./list.ts";
import { LOOKUP_CLAUSES } from "./lookups.ts";
import { PROTOCOL_CLAUSES } from "./protocol.ts";
import { SHAPE_CLAUSES } from "./shapes.ts";

/** Every clause, the specification's own first. */
export const CLAUSES: readonly Clause[] = [
  ...SHAPE_CLAUSES,
  ...LIST_CLAUSES,
  ...LOOKUP_CLAUSES,
  ...PROTOCOL_CLAUSES,
  ...HEADER_CLAUSES,
].toSorted((one, other) => Number(one.level === "credence") - Number(other.level === "credence"));
