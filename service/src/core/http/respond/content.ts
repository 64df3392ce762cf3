/**
 * The body as it is sent. A small body is a string with one UTF-8 byte per character. It must be
 * written with the encoding latin1, which is faster than encoding text for every request. A large
 * body is a Buffer, so that slow clients share one copy.
 */
export type Wire = string | Buffer;

const MAX_STRING_BYTES = 65_536;

export function wireOf(text: string): Wire {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STRING_BYTES) return Buffer.from(text);
  const isAscii = bytes === text.length;
  // One UTF-8 byte per character.
  return isAscii ? text : Buffer.from(text).toString("latin1");
}

/**
 * What a route returns: the data of a response. Status line, headers and writing are up to
 * `respond`.
 */
export type Content = {
  status: number;
  body: Wire;
  /** Content-Type. */
  type: string;
  /** With an ETag, a matching If-None-Match gets 304. */
  etag?: string;
  /** Who may cache the response: see cache-control.ts. `fixed`: Cache-Control is in `headers`. */
  caching: Caching;
  /** Entries of the Link header beside those of the life cycle. */
  links?: string;
  /** Content-Encoding. */
  encoding?: string;
  /** Further headers: name, value, name, value. */
  headers?: readonly string[];
  /** Carries the headers of V1, with permission for pages of other sites. */
  isV1: boolean;
};

/** `missing-page`: a page about a person who is not shown, which replaces an older copy in shared caches. */
export type Caching = "answer" | "not-found" | "missing-page" | "no-store" | "fixed";

export const JSON_TYPE = "application/json; charset=utf-8";
