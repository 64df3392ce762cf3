import type { Clause } from "../clause.ts";
import { HEADER_CLAUSES } from "./headers.ts";
import { LIFE_CYCLE_CLAUSES } from "./life-cycle.ts";
import { LIST_CLAUSES } from "./list.ts";
import { LOOKUP_CLAUSES } from "./lookups.ts";
import { PROTOCOL_CLAUSES } from "./protocol.ts";
import { SHAPE_CLAUSES } from "./shapes.ts";

/** All clauses, those of level `spec` first. */
export const CLAUSES: readonly Clause[] = [
  ...SHAPE_CLAUSES,
  ...LIST_CLAUSES,
  ...LOOKUP_CLAUSES,
  ...PROTOCOL_CLAUSES,
  ...HEADER_CLAUSES,
  ...LIFE_CYCLE_CLAUSES,
].toSorted((a, b) => Number(a.level === "credence") - Number(b.level === "credence"));
