import type { Observation, Rejection } from "./observation.ts";
import { isId, isObject, observeCredentials, observePassport, toTime } from "./observe.ts";

/** Where a body comes from. `id` is the passport id in the name of the file, if there is one. */
export type Origin = { file: string; url: string | null; at: string | null; id: number | null };

type Read = Observation | Rejection;
type Fields = Record<string, unknown>;

/** The passport id that a URL asks for: in its path or its query. */
export function idInUrl(url: string): number | null {
  const [, digits] = /[?&]passport_id=(\d+)(?:[&#]|$)|\/passports\/(\d+)(?:[/?#]|$)/.exec(url)?.filter(Boolean) ?? [];
  const id = Number(digits);
  return isId(id) ? id : null;
}

/** The passport id in a file name such as `credentials-7.json`; null if there are several numbers. */
export function idInFileName(name: string): number | null {
  const decoded = name.replaceAll(/%3D/gi, "=").replace(/\.(json|ndjson|txt|gz|zst)\b.*$/i, "");
  const named = /passport_id=(\d+)/.exec(decoded)?.[1];
  const numbers = decoded.replaceAll(/\bv1\b/gi, "").match(/\d+/g) ?? [];
  const id = Number(named ?? (numbers.length === 1 ? numbers[0] : undefined));
  return isId(id) ? id : null;
}

/** A saved response, `{"url","status","at","body"}`, or a body alone. */
export function* readResponse(value: unknown, origin: Origin, onUnknown: (field: string) => void): Generator<Read> {
  if (!isObject(value)) return yield rejection(origin, "is not a JSON object");
  if (!Object.hasOwn(value, "body") && !Object.hasOwn(value, "status"))
    return yield* readBody(value, origin, onUnknown);
  const { url, status = 200, at = null, body } = value;
  const from = { ...origin, url: typeof url === "string" ? url : origin.url };
  const time = typeof at === "string" ? toTime(at) : null;
  if (at !== null && time === null) return yield rejection(from, "`at` is not a time");
  if (status !== 200) return yield rejection(from, `its status is ${JSON.stringify(status)?.slice(0, 20)}, not 200`);
  const parsed = typeof body === "string" ? parse(body) : body;
  if (!isObject(parsed)) return yield rejection(from, "its body is not a JSON object");
  yield* readBody(parsed, { ...from, at: time }, onUnknown);
}

function* readBody(body: Fields, origin: Origin, onUnknown: (field: string) => void): Generator<Read> {
  const { passport, passports, credentials, passport_credentials } = body;
  const observed = (found: unknown) => (isObject(found) ? read(found, origin, onUnknown) : null);
  if (Array.isArray(passports)) {
    for (const entry of passports) yield observed(entry) ?? rejection(origin, "an entry of the list is no object");
  } else if (isObject(passport)) {
    yield read(passport, origin, onUnknown);
    // A line of a snapshot has both.
    if (isId(passport.passport_id) && Array.isArray(credentials))
      yield observeCredentials(passport.passport_id, credentials, origin.at, onUnknown);
  } else if (Array.isArray(passport_credentials)) {
    yield readCredentials(passport_credentials, origin, onUnknown);
  } else if (Object.hasOwn(body, "passport_id") && Object.hasOwn(body, "score")) {
    yield read(body, origin, onUnknown);
  } else {
    yield rejection(origin, describeOther(body));
  }
}

function read(passport: Fields, origin: Origin, onUnknown: (field: string) => void): Read {
  const found = observePassport(passport, origin.at, onUnknown);
  return typeof found === "string" ? rejection(origin, found) : found;
}

function readCredentials(credentials: unknown[], origin: Origin, onUnknown: (field: string) => void): Read {
  const id = origin.url === null ? origin.id : idInUrl(origin.url);
  if (id !== null) {
    const found = observeCredentials(id, credentials, origin.at, onUnknown);
    return origin.url === null ? { ...found, isNamed: true } : found;
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
