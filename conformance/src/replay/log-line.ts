import { cleanQuery, type RemoveParameter } from "./query.ts";

export type Endpoint = "list" | "single" | "credentials";
export type ReplayRequest = { method: "GET" | "HEAD"; endpoint: Endpoint; path: string; query: string };

export type SkipReason =
  | "not a request"
  | "line too long"
  | "method other than GET and HEAD"
  | `path outside ${string}`
  | `path of ${string} that V1 does not have`;

// The time in brackets, then the request in quotes: common and combined format, with or without a
// host name in front.
const LOGGED = /^[^"]*\[[^\]"]*\] "((?:[^"\\]|\\.)*)"/;
const REQUEST = /^([A-Z]+) (.*?)(?: HTTP\/\d(?:\.\d)?)?$/;
const ENDPOINT = "/+(?:passports(?:/+([^/]+))?|(passport_credentials))/*$";

/** Recognizes the paths below a prefix. A proxy may have added a path before it, and doubled slashes. */
export function readPaths(prefix: string): { prefix: string; endpoint: RegExp; below: RegExp } {
  const pattern = prefix.replaceAll(".", "\\.").replaceAll("/", "/+");
  return { prefix, endpoint: new RegExp(`(?<!/)${pattern}${ENDPOINT}`), below: new RegExp(`${pattern}(/|$)`) };
}

const V1_PATHS = readPaths("/api/v1");
const TARGET = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i;

/** The method and the target of a line; null if it has none. */
function readTarget(text: string): { method: string; target: string } | null {
  const [, logged] = LOGGED.exec(text) ?? [];
  const request = unescapeLog(logged ?? text.trim());
  const [, method = "", target] = /^(?:\/|https?:\/\/)/.test(request)
    ? ["", "GET", request]
    : (REQUEST.exec(request) ?? ["", "", ""]);
  return target === undefined || !/^(?:\/|https?:\/\/)/i.test(target) ? null : { method, target };
}

/** The path of a line, without its query. */
export function pathOf(text: string): string | null {
  const found = readTarget(text);
  return found === null ? null : (TARGET.exec(found.target)?.[1] ?? "");
}

const ELSEWHERE = new RegExp(ENDPOINT);

/** Whether a path ends as those of V1 do. */
export const looksLikeV1 = (path: string): boolean => ELSEWHERE.test(path);

/** The request of a line: of an access log, or a path. */
export function parseLine(
  text: string,
  sentParameters: ReadonlySet<string>,
  onRemove: RemoveParameter,
  { prefix, endpoint, below } = V1_PATHS,
): ReplayRequest | SkipReason {
  const found = readTarget(text);
  if (found === null) return "not a request";
  const { method, target } = found;
  if (method !== "GET" && method !== "HEAD") return "method other than GET and HEAD";
  const [, path = "", query = ""] = TARGET.exec(target) ?? [];
  const match = endpoint.exec(path);
  if (match === null) return below.test(path) ? `path of ${prefix} that V1 does not have` : `path outside ${prefix}`;
  const [v1Path, id, credentials] = match;
  return {
    method,
    endpoint: credentials !== undefined ? "credentials" : id === undefined ? "list" : "single",
    path: encode(v1Path),
    query: encode(cleanQuery(query, sentParameters, onRemove)),
  };
}

export const targetOf = ({ path, query }: ReplayRequest): string => (query === "" ? path : `${path}?${query}`);

/** nginx and Apache log some bytes as \xHH, and quotes and backslashes after a backslash. */
const unescapeLog = (text: string): string =>
  text.replaceAll(/\\(?:x([0-9a-f]{2})|(["\\]))/gi, (_, hex: string | undefined, literal: string | undefined) =>
    hex === undefined ? (literal ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** Escapes bytes that a request target cannot contain. */
const encode = (text: string): string =>
  text.replaceAll(
    /[^!-~]|["<>\\^`{|}]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
