import type { Wire } from "./wire.ts";

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
  /** Responses of V1, and all errors, carry the headers of V1. */
  isV1: boolean;
  /** Other sites may not read this response, although it has the headers of V1. */
  isSameSite?: true;
};

export type Caching = "answer" | "not-found" | "no-store" | "fixed";

export const JSON_TYPE = "application/json; charset=utf-8";
