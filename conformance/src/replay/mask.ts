import { JsonNumber, typeOf } from "./json.ts";
import { type ReplayRequest, targetOf } from "./log-line.ts";
import { nameOf } from "./query.ts";

const MEDIA_TYPE = /^(application|text)\/[a-z.+-]+(; ?charset=[\w-]+)?$/i;

/** Describes a value without showing it: its type, and the format of a number or a date-time. */
export function maskValue(value: unknown): string {
  const type = typeOf(value);
  if (value instanceof JsonNumber) return `number ${maskDigits(value.text)}`;
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value !== "string") return type;
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-][\d:]+)?$/.test(value)) return `string ${maskDigits(value)}`;
  return MEDIA_TYPE.test(value) ? value : "string";
}

const maskDigits = (text: string): string => text.replaceAll(/\d/g, "#");

const MAX_SHOWN = 200;

/** The value itself, for --show-values. Control and invisible characters are escaped. */
export function showValue(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value, (_, item: unknown) =>
    item instanceof JsonNumber ? (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(item.text) : item,
  ).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}

/** The target of a request with placeholders for ids, wallets and texts. */
function maskTarget({ path, query, endpoint }: ReplayRequest): string {
  const maskId = (id: string) => (/^\d+$/.test(id) ? "{id}" : "{wallet}");
  const masked = endpoint === "single" ? path.replace(/[^/]+(?=\/*$)/, maskId) : path;
  if (query === "") return masked;
  return `${masked}?${query.split("&").map(maskParameter).join("&")}`;
}

function maskParameter(part: string): string {
  const name = nameOf(part);
  if (/^(?:page|per_page)=\d{1,4}$/.test(part)) return part;
  return `${name}={${name}}`;
}

/** A line that repeats the request. The key is a variable of the shell. */
export function curlLine(
  baseUrl: string,
  request: ReplayRequest,
  keyVariable: string | null,
  showValues: boolean,
): string {
  const { origin, pathname } = new URL(baseUrl);
  const target = showValues ? targetOf(request) : maskTarget(request);
  const url = `${origin}${pathname.replace(/\/+$/, "")}${target}`.replaceAll("'", "'\\''");
  const options = `${request.method === "HEAD" ? "-sI" : "-si"}g`;
  const header = keyVariable === null ? "" : ` -H "X-API-KEY: $${keyVariable}"`;
  return `curl ${options}${header} '${url}'`;
}

const MAX_SEGMENTS = 6;

/** A path with placeholders for ids, wallets and everything else that is no plain word. */
export function maskPath(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "");
  const masked = segments.slice(0, MAX_SEGMENTS).map(maskSegment);
  return `/${masked.join("/")}${segments.length > MAX_SEGMENTS ? "/…" : ""}`;
}

const maskSegment = (segment: string): string =>
  /^\d+$/.test(segment) ? "{id}" : /^(?:v\d+|[a-z_-]{1,30})$/.test(segment) ? segment : "{…}";
