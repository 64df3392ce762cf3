/** A longer request target gets a 414. The limit of the HTTP parser is higher. */
export const MAX_TARGET_BYTES = 8_192;

/**
 * Makes any request target routable. A path that does not decode is escaped, so that the router
 * returns an ordinary 404 and not its own error. An absolute URL is reduced to its path and query.
 */
export function routableTarget(target: string): string {
  if (target.startsWith("/") && !target.includes("%")) return target;
  const relative = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const end = relative.search(/[?#]/);
  const path = end === -1 ? relative : relative.slice(0, end);
  const rest = end === -1 ? "" : relative.slice(end);
  return `${path.startsWith("/") ? "" : "/"}${decodes(path) ? path : path.replaceAll("%", "%25")}${rest}`;
}

function decodes(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

const NO_QUERY: Record<string, string> = Object.freeze(Object.create(null));

/** Parses any query string to well-formed text. The last of duplicate parameters wins. */
export function parseQuery(text: string): Record<string, string> {
  if (text === "") return NO_QUERY;
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) query[name] = value;
  return query;
}

/** The path of a URL, decoded as the router does it, without its query. */
export function readPath(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The segments of a path. Doubled and trailing slashes are ignored. */
export const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "");
