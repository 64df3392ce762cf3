import type { HttpResponse } from "../client.ts";
import { isObject } from "../sample.ts";
import type { Json } from "../shape.ts";
import { type Difference, type Emit, type Found, form, ROOT } from "./difference.ts";
import { compareHeaders } from "./headers.ts";
import { JsonNumber, parseBody, typeOf } from "./json.ts";
import type { Endpoint } from "./log-line.ts";
import { compareObjects } from "./objects.ts";

/** All differences between two responses to one request. */
export function compareResponses(endpoint: Endpoint, old: HttpResponse, next: HttpResponse): Difference[] {
  const differences: Difference[] = [];
  const emit: Emit = ({ field, place }, found) => {
    differences.push({ field, place, explanation: null, ...found });
  };
  if (old.status !== next.status) {
    emit(ROOT, form("status", old.status, next.status));
    return differences;
  }
  compareHeaders(old, next, emit);
  // Clients show or compare the text of an error: it belongs to the form.
  const isError = old.status >= 400;
  compareBodies(isError ? "error" : endpoint, old.body, next.body, (path, found) =>
    emit(path, isError ? { ...found, class: "form" } : found),
  );
  return differences;
}

function compareBodies(shape: Endpoint | "error", oldText: string, newText: string, emit: Emit): void {
  if (oldText === newText) return;
  const [old, next] = [parseBody(oldText), parseBody(newText)];
  if (old === null || next === null) {
    const kind = old === null && next === null ? "body that is not JSON" : "body is JSON on one server only";
    emit(ROOT, form(kind, oldText, newText));
    return;
  }
  if (old.hasDuplicateNames !== next.hasDuplicateNames)
    emit({ ...ROOT, place: "names" }, form("field twice", old.hasDuplicateNames, next.hasDuplicateNames));
  if (!isObject(old.value) || !isObject(next.value)) {
    if (typeOf(old.value) !== typeOf(next.value)) emit(ROOT, form("type", old.value, next.value));
    return;
  }
  if (shape === "list") emitAll(comparePageSizes(old.value, next.value), emit);
  compareObjects(ROOT, shape, old.value, next.value, emit);
}

const emitAll = (found: readonly Found[], emit: Emit): void => {
  for (const difference of found) emit({ field: "passports", place: "size" }, difference);
};

/** All pages but the last have the same number of people. */
function comparePageSizes(old: Json, next: Json): Found[] {
  const [a, b] = [old.passports, next.passports];
  if (!Array.isArray(a) || !Array.isArray(b) || a.length === b.length || isLastPage(old) || isLastPage(next)) return [];
  return [form("number of people on a page", a, b)];
}

function isLastPage({ pagination }: Json): boolean {
  if (!isObject(pagination)) return true;
  const number = (value: unknown) => (value instanceof JsonNumber ? Number(value.text) : Number.NaN);
  return !(number(pagination.current_page) < number(pagination.last_page));
}
