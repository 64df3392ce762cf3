import { type Finding, notChecked, ok, problem, warning } from "#core/terminal/check.ts";
import { quote } from "./finding-texts.ts";
import type { Reply } from "./send.ts";
import { pageUrl, type Site } from "./site.ts";

const CODINGS = ["identity", "gzip", "br"] as const;
type Coding = (typeof CODINGS)[number];

/** The longest page, so that the proxy has a reason to compress it. */
const LONG_PAGE = "per_page=100";
/** Proxies do not compress short responses. */
const MIN_COMPRESSED_BYTES = 4_096;

const request = (site: Site, coding: Coding, headers: Record<string, string> = {}): Promise<Reply> =>
  site.send(pageUrl(site, LONG_PAGE), { "accept-encoding": coding, ...headers });

/** A request with the received ETag must get 304, whatever the coding. */
export async function checkConditional(site: Site): Promise<Finding> {
  if (site.first.header("etag") === null) return notChecked("there is no ETag header");
  for (const coding of CODINGS) {
    const finding = await checkCoding(site, coding);
    if (finding !== null) return finding;
  }
  return ok(`the ETag gets 304, with ${CODINGS.join(", ")}`);
}

async function checkCoding(site: Site, coding: Coding): Promise<Finding | null> {
  const { etag, status } = await requestAgain(site, coding);
  if (etag === null) {
    return problem(
      `no ETag with Accept-Encoding: ${coding}`,
      "The proxy removes it when it compresses. Let it keep weak ETags, which are the same for every coding.",
    );
  }
  if (!/^W\/"[\w-]{22}"$/.test(etag)) {
    return problem(
      `with Accept-Encoding: ${coding}, the ETag is ${quote(etag)}, which is not that of Credence`,
      "Let the proxy forward ETags unchanged; for Apache: DeflateAlterETag NoChange.",
    );
  }
  if (status === 304) return null;
  return problem(
    `with Accept-Encoding: ${coding}, a request with the received ETag gets ${status}, not 304`,
    "Let the proxy forward If-None-Match and ETag unchanged.",
  );
}

/** Sends a request and a conditional one; twice if the data changed between the two. */
async function requestAgain(site: Site, coding: Coding): Promise<{ etag: string | null; status: number }> {
  let etag = (await request(site, coding)).header("etag");
  for (let attempt = 1; ; attempt++) {
    if (etag === null) return { etag, status: 0 };
    const again = await request(site, coding, { "if-none-match": etag });
    const newTag = again.header("etag");
    if (again.status !== 200 || newTag === etag || attempt === 2) return { etag, status: again.status };
    etag = newTag;
  }
}

/** Credence does not compress V1 responses: the proxy should. */
export async function checkCompression(site: Site): Promise<Finding> {
  const plain = await request(site, "identity");
  const wrong = plain.header("content-encoding");
  if (wrong !== null && wrong !== "identity") {
    return problem(
      `a client that accepts no compression gets ${quote(wrong)}`,
      "Let the cache of the proxy store a response for each Accept-Encoding, as Vary says.",
    );
  }
  const sizeBytes = Buffer.byteLength(plain.body);
  if (sizeBytes < MIN_COMPRESSED_BYTES) return notChecked(`the longest page has ${sizeBytes} bytes only`);
  const codings: string[] = [];
  for (const coding of ["gzip", "br"] as const) {
    if ((await request(site, coding)).header("content-encoding") === coding) codings.push(coding);
  }
  if (codings.length > 0) return ok(codings.join(", "));
  return warning(
    "responses are not compressed",
    "Compress application/json in the proxy; for nginx: gzip on; gzip_proxied any; gzip_types application/json.",
  );
}
