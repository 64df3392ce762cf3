import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { etagOf } from "@credence/contract/answer-bytes.ts";
import type { Safe } from "@credence/explorer/html.ts";
import { hasVersion } from "#core/http/respond/compose.ts";
import type { Content } from "#core/http/respond/content.ts";
import { acceptedCoding, PAGE_HEADERS, REFERRER_POLICY } from "./static-files.ts";

const HTML_TYPE = "text/html; charset=utf-8";
/** The usual choice for pages that are built for each request: small, and fast to compress. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const GZIP = { level: 5 };

/** A page that was built for this request. Compression runs off the event loop. */
export async function pageContent(headers: IncomingHttpHeaders, page: Safe, status = 200): Promise<Content> {
  const text = page.toString();
  const etag = etagOf(text);
  const content: Content = {
    status,
    body: Buffer.from(text),
    type: HTML_TYPE,
    ...(status === 200 && { etag }),
    caching: status === 200 ? "answer" : "no-store",
    headers: [...PAGE_HEADERS, ...REFERRER_POLICY],
    isV1: false,
  };
  const isConfirmed = status === 200 && hasVersion(headers["if-none-match"], etag);
  return isConfirmed ? content : compressed(headers, content);
}

/** The same content in a coding that the client accepts. */
export async function compressed(headers: IncomingHttpHeaders, content: Content): Promise<Content> {
  const coding = acceptedCoding(headers["accept-encoding"]);
  if (coding === "identity") return content;
  const compress = coding === "br" ? promisify(brotliCompress) : promisify(gzip);
  const body = await compress(content.body as Buffer, coding === "br" ? BROTLI : GZIP);
  return { ...content, body, encoding: coding };
}
