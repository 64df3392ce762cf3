import { isUtf8 } from "node:buffer";
import { LIMITS, Person } from "@credence/contract/person.ts";
import { Compile } from "typebox/compile";
import type { Line } from "./lines.ts";

/** Why a line is not taken: the field at fault, as a path such as `passport.score`, and what is wrong with it. */
export type Refusal = { field: string | null; reason: string };
export type ReadPerson = { person: Person; refusal: null } | { person: null; refusal: Refusal };

const isPerson = Compile(Person);

/** Reads a line as a person, or says why it cannot be one. */
export function readPerson(line: Line): ReadPerson {
  const refusal = (field: string | null, reason: string): ReadPerson => ({ person: null, refusal: { field, reason } });
  if (line.tooLong) return refusal(null, `is longer than ${LIMITS.lineBytes} bytes`);
  if (!isUtf8(line.bytes)) return refusal(null, "is not UTF-8");
  const text = withoutMark(line).toString("utf8");
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return refusal(null, `is not JSON: ${(error as Error).message}`);
  }
  const problem = findProblem(given, text);
  return problem === null ? { person: given as Person, refusal: null } : refusal(problem.field, problem.reason);
}

/** Some programs begin a file with a byte order mark. */
const withoutMark = ({ number, bytes }: Line): Buffer =>
  number === 1 && bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? bytes.subarray(3) : bytes;

function findProblem(given: unknown, text: string): Refusal | null {
  if (!isPerson.Check(given)) return describeMismatch(given);
  // Only an escape can bring in what UTF-8 and PostgreSQL cannot hold.
  if (text.includes("\\u")) {
    const field = findUnstorable(given, "");
    if (field !== null) return { field, reason: "holds a NUL or half of a surrogate pair, which cannot be stored" };
  }
  return findMadeUpMoment(given) ?? findRepeatedCredential(given) ?? findOwnMerge(given);
}

const fieldOf = (pointer: string): string | null => (pointer === "" ? null : pointer.slice(1).replaceAll("/", "."));

function describeMismatch(given: unknown): Refusal {
  const errors = isPerson.Errors(given);
  // A field that should not be there is told twice, first as a value that nothing fits.
  const error = errors.find((one) => one.keyword !== "boolean") ?? errors[0];
  if (error === undefined) return { field: null, reason: "is not a person" };
  if (error.keyword === "additionalProperties") {
    const [name = ""] = error.params.additionalProperties;
    return { field: fieldOf(`${error.instancePath}/${name}`), reason: "is no known field" };
  }
  if (error.keyword === "pattern" || error.keyword === "format") {
    return { field: fieldOf(error.instancePath), reason: MOMENT };
  }
  return { field: fieldOf(error.instancePath), reason: error.message };
}

const MOMENT = "must be a moment such as 2024-07-29T15:51:28.071Z";

/** 30 February has the right form, and PostgreSQL would refuse it or call it another day. */
function findMadeUpMoment({ passport, credentials }: Person): Refusal | null {
  if (isMadeUp(passport.last_calculated_at)) return { field: "passport.last_calculated_at", reason: MOMENT };
  const at = credentials.findIndex((credential) => isMadeUp(credential.last_calculated_at));
  return at === -1 ? null : { field: `credentials.${at}.last_calculated_at`, reason: MOMENT };
}

/** The schema has seen to all but the length of months. */
const isMadeUp = (moment: string | null): boolean =>
  moment !== null && moment.slice(8, 10) > "28" && !new Date(moment).toJSON()?.startsWith(moment.slice(0, 10));

function findRepeatedCredential({ credentials }: Person): Refusal | null {
  const seen = new Set<string>();
  for (const [at, { id }] of credentials.entries()) {
    if (seen.has(id))
      return { field: `credentials.${at}.id`, reason: "stands on another credential of this person too" };
    seen.add(id);
  }
  return null;
}

const findOwnMerge = ({ passport, operator }: Person): Refusal | null =>
  operator?.merged_into === passport.passport_id
    ? { field: "operator.merged_into", reason: "is the person's own passport_id" }
    : null;

/** The path of the first text that cannot be stored. */
function findUnstorable(value: unknown, path: string): string | null {
  if (typeof value === "string") return value.includes("\0") || !value.isWellFormed() ? fieldOf(path) : null;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    const found = findUnstorable(part, `${path}/${key}`);
    if (found !== null) return found;
  }
  return null;
}
