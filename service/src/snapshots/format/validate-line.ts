import { isUtf8 } from "node:buffer";
import { Person } from "@credence/contract/person.ts";
import { LIMITS } from "@credence/contract/person-limits.ts";
import { Compile } from "typebox/compile";
import type { Line } from "#core/files/lines.ts";
import type { FieldCounts } from "./field-counts.ts";
import { type Fault, findFaults, INVALID_TIMESTAMP } from "./find-faults.ts";
import { keepPersonFields } from "./keep-known-fields.ts";
import { PERSON, walkSchema } from "./walk-schema.ts";

/** Why a line is refused: its first fault and up to nine more. */
export type Refusal = Fault & { also?: Fault[] };
export type ReadPerson = { person: Person; refusal: null } | { person: null; refusal: Refusal };

const isPerson = Compile(Person);

const MAX_FAULTS = 10;

/** What to do with fields that V1 does not have. */
export type UnknownFields = "refuse" | "drop";

/** Parses and validates a line. `fields` counts the unknown fields and wrong types of refused ones. */
export function readPerson(
  line: Line,
  { unknownFields, fields }: { unknownFields: UnknownFields; fields: FieldCounts | null } = {
    unknownFields: "refuse",
    fields: null,
  },
): ReadPerson {
  const refusal = (reason: string): ReadPerson => ({ person: null, refusal: { field: null, reason } });
  if (line.tooLong) return refusal(`is longer than ${LIMITS.lineBytes} bytes`);
  if (!isUtf8(line.bytes)) return refusal("is not UTF-8");
  const text = withoutByteOrderMark(line).toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = `is not JSON: ${(error as Error).message}`;
    return { person: null, refusal: { field: null, reason, kind: "is not JSON" } };
  }
  const found = findRefusal(value, text);
  if (found === null) return { person: value as Person, refusal: null };
  const known = unknownFields === "drop" ? keepPersonFields(value, () => {}) : value;
  const remaining = unknownFields === "drop" ? findRefusal(known, text) : found;
  if (remaining === null) return { person: known as Person, refusal: null };
  fields?.addLine(known);
  return { person: null, refusal: remaining };
}

/** Validates a value that was printed as JSON. Returns null if it is a person. */
export function validatePerson(value: unknown): Refusal | null {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > LIMITS.lineBytes) {
    return { field: null, reason: `is longer than ${LIMITS.lineBytes} bytes` };
  }
  return findRefusal(value, text);
}

function findRefusal(value: unknown, text: string): Refusal | null {
  return isPerson.Check(value) ? findOther(value, text) : firstOf(findFaults(value));
}

const findOther = (person: Person, text: string): Refusal | null => firstOf(findOtherFaults(person, text));

function firstOf(faults: Generator<Fault>): Refusal | null {
  const [first, ...also] = faults.take(MAX_FAULTS);
  if (first === undefined) return null;
  return also.length === 0 ? first : { ...first, also };
}

/** Some programs write a byte order mark at the start of a file. */
const withoutByteOrderMark = ({ number, bytes }: Line): Buffer =>
  number === 1 && bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? bytes.subarray(3) : bytes;

/** Finds the faults that the schema cannot express. */
function* findOtherFaults(person: Person, text: string): Generator<Fault> {
  // JSON in valid UTF-8 can contain a NUL or an unpaired surrogate only as an escape.
  if (text.includes("\\u")) yield* findUnstorableText(person);
  yield* findInvalidDates(person);
  yield* findDuplicateCredentials(person);
}

function* findInvalidDates({ passport, credentials }: Person): Generator<Fault> {
  const reason = INVALID_TIMESTAMP;
  if (isInvalidDate(passport.last_calculated_at)) yield { field: "passport.last_calculated_at", reason };
  for (const [index, { last_calculated_at }] of credentials.entries()) {
    if (isInvalidDate(last_calculated_at)) yield { field: `credentials.${index}.last_calculated_at`, reason };
  }
}

/** Detects dates such as 30 February. The schema checks everything but the length of months. */
const isInvalidDate = (timestamp: string | null): boolean =>
  timestamp !== null &&
  timestamp.slice(8, 10) > "28" &&
  !new Date(timestamp).toJSON()?.startsWith(timestamp.slice(0, 10));

function* findDuplicateCredentials({ credentials }: Person): Generator<Fault> {
  const ids = new Set<string>();
  for (const [index, { id }] of credentials.entries()) {
    if (ids.has(id))
      yield { field: `credentials.${index}.id`, reason: "is the id of another credential of this person" };
    ids.add(id);
  }
}

function* findUnstorableText(person: Person): Generator<Fault> {
  for (const visit of walkSchema(person, PERSON)) {
    if (visit.kind !== "value" || typeof visit.value !== "string") continue;
    if (!visit.value.includes("\0") && visit.value.isWellFormed()) continue;
    yield { field: visit.place, reason: "contains a NUL or an unpaired surrogate, which cannot be stored" };
  }
}
