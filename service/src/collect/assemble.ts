import type { Person } from "@credence/contract/person.ts";
import { validatePerson } from "#snapshots/format/validate-line.ts";
import { type KeptFrom, keepPrevious } from "./keep-previous.ts";
import { type NullValues, replaceNullCredentials, replaceNulls } from "./null-values.ts";
import type { Kind, Observation } from "./observation.ts";
import type { Assembled, Outcome } from "./outcome.ts";

export type AssembleOptions = {
  /** Include people without some responses, with default values. */
  incomplete: boolean;
  nulls: NullValues;
  /** Where observations of this kind come from; null if there are none. */
  previous: KeptFrom | null;
  /** Called with a person that cannot be imported. */
  onInvalid: (person: unknown) => void;
};

/** Makes a person of all observations with one id. `observations` are sorted by id. */
export async function* assemblePeople(
  observations: AsyncIterable<Observation>,
  options: AssembleOptions,
): AsyncGenerator<Assembled> {
  for await (const group of groupById(observations)) {
    const assembled = assemble(group, options);
    const previous = group.newest.get("previous");
    if (previous === undefined || options.previous === null) yield assembled;
    else yield keepPrevious(assembled, previous, options.previous);
  }
}

type Newest = Map<Kind, Observation>;
type Group = { id: number; newest: Newest; ties: Set<Kind> };

/** Keeps only the newest observation of each kind: one person may have many. */
async function* groupById(observations: AsyncIterable<Observation>): AsyncGenerator<Group> {
  let group: Group = { id: 0, newest: new Map(), ties: new Set() };
  for await (const observation of observations) {
    const { id, kind } = observation;
    if (group.id !== id) {
      if (group.newest.size > 0) yield group;
      group = { id, newest: new Map(), ties: new Set() };
    }
    const best = group.newest.get(kind);
    const order = best === undefined ? 1 : compareAge(observation, best);
    if (order > 0) group.ties.delete(kind);
    else if (order === 0 && observation.text !== best?.text) group.ties.add(kind);
    // Of equally new ones, the greater text counts: the result does not depend on the order of files.
    if (order > 0 || (order === 0 && observation.text > (best?.text ?? ""))) group.newest.set(kind, observation);
  }
  if (group.newest.size > 0) yield group;
}

/** Above 0 if `a` is newer. By the time of the response, else by the time of the calculation. */
function compareAge(a: Observation, b: Observation): number {
  return compare(timeOf(a), timeOf(b)) || compare(a.calculatedAt ?? "", b.calculatedAt ?? "");
}

const timeOf = ({ at, calculatedAt }: Observation): string => at ?? calculatedAt ?? "";
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

function assemble({ id, newest, ties }: Group, { incomplete, nulls, onInvalid }: AssembleOptions): Assembled {
  const found = findParts(newest, incomplete);
  if ("outcome" in found) {
    const { isDoubtful = false, ...outcome } = found;
    return { person: null, outcomes: [{ passport_id: id, ...outcome }], isDoubtful };
  }
  const replaced: string[] = [];
  const { passport, missing } = found;
  replaceNulls(passport, nulls, (field) => replaced.push(field));
  const credentials = replaceNullCredentials(found.credentials, nulls, (field) => replaced.push(field));
  const person = { passport, credentials };
  const refusal = validatePerson(person);
  if (refusal !== null) {
    onInvalid(person);
    const { field, reason } = refusal;
    return {
      person: null,
      outcomes: [{ passport_id: id, outcome: "rejected", reason: `${field ?? "the person"} ${reason}` }],
      isDoubtful: true,
    };
  }
  const outcome: Outcome = {
    passport_id: id,
    ...(missing === null ? { outcome: "collected" } : { outcome: "incomplete", reason: `included without ${missing}` }),
    ...(replaced.length > 0 && { replaced }),
  };
  const tied = [...ties].filter((kind) => kind === "passport" || kind === "credentials" || missing !== null);
  return {
    person: person as Person,
    ...(found.isPrevious && { isPrevious: true }),
    outcomes: [
      outcome,
      ...tied.map(
        (kind): Outcome => ({ passport_id: id, outcome: "tie", reason: `equally new ${kind} responses differ` }),
      ),
    ],
  };
}

type NoParts = Pick<Outcome, "outcome" | "reason"> & Pick<Assembled, "isDoubtful">;
type Parts = {
  passport: unknown;
  credentials: unknown;
  missing: string | null;
  isPrevious?: true;
};

/** Chooses the responses of a person, or says why there is no person. */
function findParts(newest: Newest, includeIncomplete: boolean): Parts | NoParts {
  const passport = newest.get("passport");
  const credentials = newest.get("credentials");
  const gone = newest.get("gone");
  const absent = gone ?? newest.get("missing");
  if (absent !== undefined && timeOf(absent) >= (passport === undefined ? "" : timeOf(passport))) {
    return { outcome: "disappeared", reason: absent.text, isDoubtful: gone === undefined };
  }
  if (passport !== undefined && credentials !== undefined) {
    return { passport: JSON.parse(passport.text), credentials: JSON.parse(credentials.text), missing: null };
  }
  // Better complete and old than new and incomplete.
  const previous = newest.get("previous");
  if (previous !== undefined) return { ...JSON.parse(previous.text), missing: null, isPrevious: true };
  const listed = passport ?? newest.get("listed");
  if (listed === undefined) return { outcome: "rejected", reason: "has credentials but no passport" };
  const missing = [
    ...(passport === undefined ? ["merged", "passport_socials"] : []),
    ...(credentials === undefined ? ["credentials"] : []),
  ].join(" and ");
  if (!includeIncomplete) return { outcome: "incomplete", reason: `has no ${missing}` };
  const defaults = passport === undefined ? { merged: false, passport_socials: [] } : {};
  return {
    passport: { ...JSON.parse(listed.text), ...defaults },
    credentials: credentials === undefined ? [] : JSON.parse(credentials.text),
    missing,
  };
}
