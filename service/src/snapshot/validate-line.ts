import { isUtf8 } from "node:buffer";
import { LIMITS, Person } from "@credence/contract/person.ts";
import { Compile } from "typebox/compile";
import { type Fault, findFaults, MOMENT } from "./find-faults.ts";
import type { Line } from "./lines.ts";

/** Why a line is not taken: its first fault, and up to nine more. */
export type Refusal = Fault & { also?: Fault[] };
export type ReadPerson = { person: Person; refusal: null } | { person: null; refusal: Refusal };

const isPerson = Compile(Person);

const MOST_FAULTS = 10;

/** Reads a line as a person, or says why it cannot be one. */
export function readPerson(line: Line): ReadPerson {
  const refusal = (reason: string): ReadPerson => ({ person: null, refusal: { field: null, reason } });
  if (line.tooLong) return refusal(`is longer than ${LIMITS.lineBytes} bytes`);
  if (!isUtf8(line.bytes)) return refusal("is not UTF-8");
  const text = withoutMark(line).toString("utf8");
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return refusal(`is not JSON: ${(error as Error).message}`);
  }
  const faults = isPerson.Check(given) ? findOtherFaults(given, text) : findFaults(given);
  const [first, ...also] = faults.take(MOST_FAULTS);
  if (first === undefined) return { person: given as Person, refusal: null };
  return { person: null, refusal: also.length === 0 ? first : { ...first, also } };
}

/** Some programs begin a file with a byte order mark. */
const withoutMark = ({ number, bytes }: Line): Buffer =>
  number === 1 && bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? bytes.subarray(3) : bytes;

/** What the schema cannot say. */
function* findOtherFaults(person: Person, text: string): Generator<Fault> {
  // Only an escape can bring in what UTF-8 and PostgreSQL cannot hold.
  if (text.includes("\\u")) yield* findUnstorable(person, "");
  yield* findMadeUpMoments(person);
  yield* findRepeatedCredentials(person);
  if (person.operator?.merged_into === person.passport.passport_id) {
    yield { field: "operator.merged_into", reason: "is the person's own passport_id" };
  }
}

/** 30 February has the right form, and PostgreSQL would refuse it or call it another day. */
function* findMadeUpMoments({ passport, credentials }: Person): Generator<Fault> {
  if (isMadeUp(passport.last_calculated_at)) yield { field: "passport.last_calculated_at", reason: MOMENT };
  for (const [at, { last_calculated_at }] of credentials.entries()) {
    if (isMadeUp(last_calculated_at)) yield { field: `credentials.${at}.last_calculated_at`, reason: MOMENT };
  }
}

/** The schema has seen to all but the length of months. */
const isMadeUp = (moment: string | null): boolean =>
  moment !== null && moment.slice(8, 10) > "28" && !new Date(moment).toJSON()?.startsWith(moment.slice(0, 10));

function* findRepeatedCredentials({ credentials }: Person): Generator<Fault> {
  const seen = new Set<string>();
  for (const [at, { id }] of credentials.entries()) {
    if (seen.has(id))
      yield { field: `credentials.${at}.id`, reason: "stands on another credential of this person too" };
    seen.add(id);
  }
}

/** Texts that cannot be stored. */
function* findUnstorable(value: unknown, path: string): Generator<Fault> {
  if (typeof value === "string") {
    if (!value.includes("\0") && value.isWellFormed()) return;
    yield { field: path.slice(1), reason: "holds a NUL or half of a surrogate pair, which cannot be stored" };
  } else if (typeof value === "object" && value !== null) {
    for (const [key, part] of Object.entries(value)) yield* findUnstorable(part, `${path}.${key}`);
  }
}
