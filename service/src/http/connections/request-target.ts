/** The longest request target that is answered, in bytes; past it comes 414. The parser's own bound lies above it. */
export const MAX_TARGET_BYTES = 8_192;

/**
 * Makes any request target routable: a path that does not decode is taken at its raw text, so that it leads to an ordinary
 * 404 and not out of the framework's back door; of an absolute target the path counts.
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

/** Reads a query string: never fails, the last of repeated parameters counts, and all text is well-formed. */
export function parseQuery(text: string): Record<string, string> {
  if (text === "") return NO_QUERY;
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) query[name] = value;
  return query;
}
