import type { HttpResponse } from "../client.ts";
import { isObject } from "../sample.ts";
import { isNumber, type Json, SHAPES, type Shape } from "../shape.ts";
import type { AbsentPerson, Difference } from "./difference.ts";
import { canonicalText, idText, isNumericText, JsonNumber, parseBody } from "./json.ts";
import type { ReplayRequest } from "./log-line.ts";
import { nameOf } from "./query.ts";
import { canonicalWallet } from "./values.ts";

// Differences that follow from decisions about what the specification leaves open. Each has a condition
// of its own: whatever differs beyond it is a difference like any other.

/** `link`: where the decision is documented. */
type Decision = { link: string; applies: (difference: Difference, exchange: Exchange) => boolean };
type Exchange = {
  request: ReplayRequest;
  old: HttpResponse;
  next: HttpResponse;
  oldBody: Json;
  newBody: Json;
};

const OUTSIDE_V1 = "docs/API.md#fields";

/** Decisions on an endpoint. */
const ENDPOINT_DECISIONS: readonly Decision[] = [
  {
    // The order of credentials, if both servers have the same ones, and NEW in the documented order.
    link: "docs/API.md#get-credentials",
    applies: ({ kind, field }, { request, oldBody, newBody }) =>
      request.endpoint === "credentials" &&
      kind === "order of items" &&
      field === "passport_credentials" &&
      idsOf(oldBody) === idsOf(newBody) &&
      isInOrder(newBody),
  },
  {
    // `code` in the body of an error, if status and text of the error are the same.
    link: "docs/API.md#errors",
    applies: ({ kind, field }, { old, next, oldBody, newBody }) =>
      old.status >= 400 &&
      old.status === next.status &&
      kind === "additional field" &&
      field === "code" &&
      typeof oldBody.error === "string" &&
      oldBody.error === newBody.error,
  },
  {
    // Which page is sent for one that is no number from 1 on, if it is the first.
    link: "docs/API.md#quirks",
    applies: (difference, exchange) =>
      exchange.request.endpoint === "list" &&
      isAboutPage(difference, "pagination.current_page", exchange) &&
      isOutside(parameterOf(exchange.request, "page"), Number.MAX_SAFE_INTEGER) &&
      exchange.next.status === 200 &&
      numberIn(exchange.newBody, "current_page") === 1,
  },
  {
    // How many people are sent for a size that is no number from 1 to 100, if it is as documented.
    link: "docs/API.md#quirks",
    applies: (difference, exchange) => {
      const { request, next, newBody } = exchange;
      const size = parameterOf(request, "per_page");
      if (request.endpoint !== "list" || !isOutside(size, MAX_PAGE_SIZE) || next.status !== 200) return false;
      if (!isAboutPage(difference, "pagination.last_page", exchange)) return false;
      const people = Array.isArray(newBody.passports) ? newBody.passports.length : Number.NaN;
      const [current, last] = [numberIn(newBody, "current_page"), numberIn(newBody, "last_page")];
      return current < last ? people === documentedSize(size ?? "") : people <= documentedSize(size ?? "");
    },
  },
];

/** Whether a difference is that OLD refuses the page, sends another number of the page, or other people. */
const isAboutPage = ({ kind, field, absent }: Difference, number: string, exchange: Exchange): boolean =>
  kind === "status" ||
  (kind === "value" && field === number) ||
  kind === "number of people on a page" ||
  (absent !== undefined && isBeyondPage(absent, exchange));

/**
 * Whether a person is not on the other server's page because of its number or size. If both sent the
 * first page, that page ends before the person. No page explains a person between two that both sent.
 */
function isBeyondPage({ id, listedOn, isBetweenUnchanged }: AbsentPerson, { oldBody, newBody }: Exchange): boolean {
  const areFirst = [0, 1].includes(numberIn(oldBody, "current_page")) && numberIn(newBody, "current_page") === 1;
  if (!areFirst) return !isBetweenUnchanged;
  const [page, other] = listedOn === "old" ? [oldBody, newBody] : [newBody, oldBody];
  const index = peopleIn(page).findIndex((item) => isObject(item) && idText(item.passport_id) === id);
  return index >= peopleIn(other).length;
}

const peopleIn = ({ passports }: Json): readonly unknown[] => (Array.isArray(passports) ? passports : []);

/** Decisions on fields, which apply to all responses. */
const FIELD_DECISIONS: readonly Decision[] = [
  {
    // A field outside V1, which NEW does not send.
    link: OUTSIDE_V1,
    applies: ({ kind, field }) => kind === "missing field" && isOutsideV1(field),
  },
  {
    // The order of fields, if those of V1 have the same order.
    link: OUTSIDE_V1,
    applies: ({ kind, field, old, new: next }) => {
      const ofV1 = (names: unknown) => (names as string[]).filter((name) => !isOutsideV1(`${field}.${name}`)).join();
      return kind === "order of fields" && ofV1(old) === ofV1(next);
    },
  },
  {
    // A count that is a number, if NEW sends a text with the same digits.
    link: "docs/API.md#fields",
    applies: ({ kind, field, old, new: next }) =>
      kind === "type" && /\.follow(er|ing)_count$/.test(field) && old instanceof JsonNumber && old.text === next,
  },
  {
    // A number that is a text, if NEW sends a number. Another value is a difference of its own.
    link: "docs/API.md#fields",
    applies: ({ kind, field, old, new: next }) =>
      kind === "type" && isNumericText(old) && next instanceof JsonNumber && isNumber(typeInV1(field)),
  },
  {
    // The letter case of a wallet, if NEW sends it in lower case.
    link: "docs/API.md#fields",
    applies: ({ kind, new: next }) =>
      kind === "letter case of a wallet" && canonicalText(next) === canonicalText(inLowerCase(next)),
  },
];

/** EVM addresses in lower case; those of other chains as they are. */
const inLowerCase = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(canonicalWallet) : canonicalWallet(value);

/** Whether V1 has no such field, as in `passport.created_at`. */
const isOutsideV1 = (field: string): boolean => shapeOfParent(field) !== null && typeInV1(field) === undefined;

/** The shape of the object that has a field such as `passports[].score`; null for any other object. */
function shapeOfParent(field: string): Shape | null {
  const shape = SHAPE_AT[field.replaceAll("[]", "").split(".").slice(0, -1).join(".")];
  return shape === undefined ? null : SHAPES[shape];
}

function typeInV1(field: string): string | undefined {
  const name = field.split(".").at(-1) ?? "";
  const shape = shapeOfParent(field) ?? {};
  return Object.hasOwn(shape, name) ? shape[name]?.type : undefined;
}

/** The shape of the object at a path. */
const SHAPE_AT: Readonly<Record<string, keyof typeof SHAPES>> = {
  passport: "detail",
  "passport.passport_profile": "profile",
  "passport.passport_socials": "social",
  passports: "passport",
  "passports.passport_profile": "profile",
  passport_credentials: "credential",
  pagination: "pagination",
};

const MAX_PAGE_SIZE = 100;
const DEFAULT_PAGE_SIZE = 25;

/** Marks the differences that follow from a decision. */
export function markDecided(
  differences: readonly Difference[],
  request: ReplayRequest,
  old: HttpResponse,
  next: HttpResponse,
): Difference[] {
  const exchange = { request, old, next, oldBody: objectIn(old), newBody: objectIn(next) };
  return differences.map((difference) => {
    if (difference.explanation !== null) return difference;
    const decision = [...FIELD_DECISIONS, ...ENDPOINT_DECISIONS].find(({ applies }) => applies(difference, exchange));
    if (decision === undefined) return difference;
    // Nobody has to be looked up.
    return { ...difference, absent: undefined, explanation: "decided", decision: decision.link };
  });
}

function objectIn({ body }: HttpResponse): Json {
  const value = parseBody(body)?.value;
  return isObject(value) ? value : {};
}

const idsOf = ({ passport_credentials: items }: Json): string | null =>
  Array.isArray(items) ? canonicalText(items.map((item) => (isObject(item) ? idText(item.id) : null)).sort()) : null;

/** By category, descending score, and id. */
function isInOrder({ passport_credentials: items }: Json): boolean {
  const credentials = Array.isArray(items) ? items.filter(isObject) : [];
  return credentials.every((item, index) => index === 0 || compare(credentials[index - 1] as Json, item) <= 0);
}

function compare(a: Json, b: Json): number {
  const score = ({ score: value }: Json) => (value instanceof JsonNumber ? Number(value.text) : 0);
  return compareTexts(a.category, b.category) || score(b) - score(a) || compareTexts(a.id, b.id);
}

const compareTexts = (a: unknown, b: unknown): number => (a === b ? 0 : String(a) < String(b) ? -1 : 1);

/** If a parameter is repeated, the last value counts. */
const parameterOf = ({ query }: ReplayRequest, name: string): string | null =>
  query
    .split("&")
    .filter((part) => nameOf(part) === name)
    .map((part) => part.slice(part.indexOf("=") + 1))
    .at(-1) ?? null;

const isOutside = (text: string | null, max: number): boolean =>
  text !== null && !(/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max);

function documentedSize(text: string): number {
  const size = Number(text);
  return /^-?\d+$/.test(text) ? Math.min(Math.max(size, 1), MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
}

function numberIn({ pagination }: Json, name: string): number {
  const value = isObject(pagination) ? pagination[name] : null;
  return value instanceof JsonNumber ? Number(value.text) : Number.NaN;
}
