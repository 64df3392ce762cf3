import type { HttpResponse } from "../client.ts";
import { type Emit, form, ROOT } from "./difference.ts";

type Comparison = (old: string, next: string) => boolean;

const mediaType = (value: string): string => value.split(";", 1)[0]?.trim().toLowerCase() ?? "";
const relations = (link: string): string[] => [...link.matchAll(/;\s*rel="?([\w -]+)/g)].map(([, name = ""]) => name);
const isPresent: Comparison = () => true;

/**
 * The headers on which clients of V1 rely. A header that only the new server sends breaks no client.
 * For most of them it is enough that the new server sends them too: their values differ by design.
 */
const COMPARED: Readonly<Record<string, Comparison>> = {
  "content-type": (old, next) => mediaType(old) === mediaType(next),
  "access-control-allow-origin": (old, next) => old === next || next === "*",
  link: (old, next) => relations(old).every((relation) => relations(next).includes(relation)),
  etag: isPresent,
  deprecation: isPresent,
  sunset: isPresent,
  "www-authenticate": isPresent,
};

/** Compares the headers that the old server sends. */
export function compareHeaders(old: HttpResponse, next: HttpResponse, emit: Emit): void {
  for (const [name, isEqual] of Object.entries(COMPARED)) {
    const [a, b] = [old.headers[name], next.headers[name]];
    if (a === undefined || (b !== undefined && isEqual(a, b))) continue;
    emit({ ...ROOT, place: `header ${name}` }, form(`header ${name}${b === undefined ? " missing" : ""}`, a, b));
  }
}

// Headers of the connection, of proxies and of caches. No client of V1 reads them.
const TRANSPORT =
  /^(date|server|connection|keep-alive|transfer-encoding|content-(length|encoding)|via|age|vary|expires|pragma|cache-control|alt-svc|nel|report-to|set-cookie|cf-.*|x-(cache|runtime|powered-by|served-by|timer|amz).*)$/;

/** The other headers that only the old server sends: for the report, no difference. */
export const headersOnlyOnOld = (old: HttpResponse, next: HttpResponse): string[] =>
  Object.keys(old.headers).filter(
    (name) => next.headers[name] === undefined && COMPARED[name] === undefined && !TRANSPORT.test(name),
  );
