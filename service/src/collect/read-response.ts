import { parseReference } from "#core/identity/reference.ts";
import { type FieldNotes, parseKeepingCounts } from "./lossless.ts";
import type { Observation, Rejection, UnplacedCredentials } from "./observation.ts";
import { isId, isObject, observeCredentials, observePassport, readId, toTime } from "./observe.ts";

/** Where a body comes from. `id` is the passport id in the name of the file, if there is one. */
export type Origin = { file: string; url: string | null; at: string | null; id: number | null };

type Read = Observation | UnplacedCredentials | Rejection;
type Fields = Record<string, unknown>;

/** The passport id that a URL asks for: in its path or its query. */
export function idInUrl(url: string): number | null {
  const [, digits] = /[?&]passport_id=(\d+)(?:[&#]|$)|\/passports\/(\d+)(?:[/?#]|$)/.exec(url)?.filter(Boolean) ?? [];
  const id = Number(digits);
  return isId(id) ? id : null;
}

/** The wallet that a URL asks for, in its canonical form. */
function walletInUrl(url: string): string | null {
  const [, text] = /[?&]passport_id=([^&#]+)/.exec(url) ?? [];
  if (text === undefined) return null;
  try {
    const reference = parseReference(decodeURIComponent(text));
    return reference?.kind === "wallet" ? reference.address : null;
  } catch {
    return null;
  }
}

/** The passport id in a file name such as `credentials-7.json`; null if there are several numbers. */
export function idInFileName(name: string): number | null {
  const decoded = name.replaceAll(/%3D/gi, "=").replace(/\.(json|ndjson|txt|gz|zst)\b.*$/i, "");
  const named = /passport_id=(\d+)/.exec(decoded)?.[1];
  // A wallet has digits too.
  if (named === undefined && /[0-9A-Za-z]{25,}/.test(decoded)) return null;
  const numbers = decoded.replaceAll(/\bv1\b/gi, "").match(/\d+/g) ?? [];
  const id = Number(named ?? (numbers.length === 1 ? numbers[0] : undefined));
  return isId(id) ? id : null;
}

/** A saved response, `{"url","status","at","body"}`, or a body alone. */
export function* readResponse(value: unknown, origin: Origin, notes: FieldNotes): Generator<Read> {
  if (!isObject(value)) return yield rejection(origin, "is not a JSON object");
  if (isAboutCollection(value)) return;
  if (typeof value.gone === "string") return yield readGone(value, value.gone, origin);
  if (!Object.hasOwn(value, "body") && !Object.hasOwn(value, "status")) return yield* readBody(value, origin, notes);
  const { url, status = 200, at = null, body } = value;
  const from = { ...origin, url: typeof url === "string" ? url : origin.url };
  const time = typeof at === "string" ? toTime(at) : null;
  if (at !== null && time === null) return yield rejection(from, "`at` is not a time");
  if (status !== 200) return yield rejection(from, `its status is ${JSON.stringify(status)?.slice(0, 20)}, not 200`);
  const parsed = typeof body === "string" ? parse(body, notes) : body;
  if (!isObject(parsed)) return yield rejection(from, "its body is not a JSON object");
  yield* readBody(parsed, { ...from, at: time }, notes);
}

/**
 * What `credence collect` writes beside responses: the first line of a journal, its pages, a manifest,
 * and lines of a report.
 */
const isAboutCollection = (value: Fields): boolean =>
  value.collect === 1 ||
  (Object.hasOwn(value, "pass") && Array.isArray(value.ids)) ||
  value.format === "credence-snapshot" ||
  (typeof value.outcome === "string" && Object.hasOwn(value, "passport_id"));

/** A record of a journal about a person whom the server does not have. */
function readGone({ url, at, isUnsure }: Fields, reason: string, origin: Origin): Observation | Rejection {
  const id = typeof url === "string" ? idInUrl(url) : null;
  const time = typeof at === "string" ? toTime(at) : null;
  if (id === null || time === null) return rejection(origin, "is a record without a passport id or a time");
  return { id, kind: isUnsure === true ? "missing" : "gone", at: time, calculatedAt: null, text: reason };
}

function* readBody(body: Fields, origin: Origin, notes: FieldNotes): Generator<Read> {
  const { passport, passports, credentials, passport_credentials } = body;
  const observed = (found: unknown) => (isObject(found) ? read(found, origin, notes) : null);
  if (Array.isArray(passports)) {
    for (const entry of passports) yield observed(entry) ?? rejection(origin, "an entry of the list is no object");
  } else if (isObject(passport)) {
    yield read(passport, origin, notes);
    // A line of a snapshot has both.
    const id = readId(passport.passport_id);
    if (id !== null && isListOrNull(credentials)) yield observeCredentials(id, credentials, origin.at, notes);
  } else if (isListOrNull(passport_credentials)) {
    yield readCredentials(passport_credentials, origin, notes);
  } else if (Object.hasOwn(body, "passport_id") && Object.hasOwn(body, "score")) {
    yield read(body, origin, notes);
  } else {
    yield rejection(origin, describeOther(body));
  }
}

/** Null is rejected or replaced when the person is complete. */
export const isListOrNull = (value: unknown): value is unknown[] | null => value === null || Array.isArray(value);

function read(passport: Fields, origin: Origin, notes: FieldNotes): Read {
  const found = observePassport(passport, origin.at, notes);
  return typeof found === "string" ? rejection(origin, found) : found;
}

function readCredentials(credentials: unknown[] | null, origin: Origin, notes: FieldNotes): Read {
  const id = origin.url === null ? origin.id : idInUrl(origin.url);
  if (id !== null) {
    const found = observeCredentials(id, credentials, origin.at, notes);
    return origin.url === null ? { ...found, isNamed: true } : found;
  }
  const wallet = origin.url === null ? null : walletInUrl(origin.url);
  if (wallet !== null) {
    const { id: _, ...found } = observeCredentials(0, credentials, origin.at, notes);
    return { ...found, wallet, file: origin.file };
  }
  const place = origin.url === null ? "the name of the file" : "its URL";
  return rejection(origin, `credentials do not contain their passport id, and ${place} has none`);
}

const describeOther = (body: Fields): string =>
  Object.hasOwn(body, "error")
    ? "is an error response"
    : body.passport === null
      ? "says that there is no such passport"
      : "is not a V1 response: it has no passports, passport or passport_credentials";

const rejection = ({ file, url, id }: Origin, reason: string): Rejection => ({
  file,
  id: url === null ? id : idInUrl(url),
  reason,
});

function parse(text: string, notes: FieldNotes): unknown {
  try {
    return parseKeepingCounts(text, notes);
  } catch {
    return null;
  }
}
