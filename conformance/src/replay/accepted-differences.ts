import type { HttpResponse } from "../client.ts";
import { isObject } from "../sample.ts";
import type { Difference } from "./difference.ts";
import { canonicalNumber, JsonNumber, parseBody } from "./json.ts";
import type { ReplayRequest } from "./log-line.ts";

// Differences that the operator of NEW knows and wants. Each has a condition: whatever differs beyond it
// is a difference like any other.

export const ACCEPTABLE = ["html-errors", "null-parts", "null-lists"] as const;
export type Acceptable = (typeof ACCEPTABLE)[number];

type Exchange = { request: ReplayRequest; old: HttpResponse; next: HttpResponse };

const CONDITIONS: Readonly<Record<Acceptable, (difference: Difference, exchange: Exchange) => boolean>> = {
  // An error with the same status, as HTML on OLD and in the form of V1 on NEW.
  "html-errors": ({ kind }, { request, old, next }) =>
    (kind === "header content-type" || kind === "body is JSON on one server only") &&
    old.status >= 400 &&
    old.status === next.status &&
    mediaType(old) === "text/html" &&
    mediaType(next) === "application/json" &&
    (request.method === "HEAD" || isV1Error(next.body)),
  // Null in a component score of OLD, and 0 in that of NEW: `credence collect --null-parts zero`.
  "null-parts": ({ kind, field, old, new: next }) =>
    kind === "type" &&
    /^passports?(\[\])?\.(activity|identity|skills)_score$/.test(field) &&
    old === null &&
    next instanceof JsonNumber &&
    canonicalNumber(next.text) === "0",
  // Null instead of a list of OLD, and an empty list of NEW: `credence collect --null-lists empty`.
  "null-lists": ({ kind, field, old, new: next }) =>
    kind === "type" &&
    /^(passports?(\[\])?\.(verified_wallets|passport_socials|passport_profile\.tags)|passport_credentials)$/.test(
      field,
    ) &&
    old === null &&
    Array.isArray(next) &&
    next.length === 0,
};

const mediaType = ({ headers }: HttpResponse): string => headers["content-type"]?.split(";", 1)[0]?.trim() ?? "";

function isV1Error(body: string): boolean {
  const value = parseBody(body)?.value;
  return (
    isObject(value) &&
    Object.keys(value).sort().join() === "code,error" &&
    typeof value.error === "string" &&
    typeof value.code === "string"
  );
}

/** Marks the differences of these kinds that nothing else explains. */
export const markAccepted = (
  differences: readonly Difference[],
  accepted: readonly Acceptable[],
  exchange: Exchange,
): Difference[] =>
  differences.map((difference) => {
    if (difference.explanation !== null) return difference;
    const kind = accepted.find((name) => CONDITIONS[name](difference, exchange));
    return kind === undefined ? difference : { ...difference, explanation: "accepted", accepted: kind };
  });
