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

/** The request of a line: of an access log, or a path. */
export function parseLine(
  text: string,
  sentParameters: ReadonlySet<string>,
  onRemove: RemoveParameter,
  { prefix, endpoint, below } = V1_PATHS,
): ReplayRequest | SkipReason {
  const [, logged] = LOGGED.exec(text) ?? [];
  const request = unescapeLog(logged ?? text.trim());
  const [, method, target] = /^(?:\/|https?:\/\/)/.test(request)
    ? ["", "GET", request]
    : (REQUEST.exec(request) ?? ["", "", ""]);
  if (target === undefined || !/^(?:\/|https?:\/\/)/i.test(target)) return "not a request";
  if (method !== "GET" && method !== "HEAD") return "method other than GET and HEAD";
  const [, path = "", query = ""] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i.exec(target) ?? [];
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
