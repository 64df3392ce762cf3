import { isLoopback } from "#core/config/config-values.ts";
import { type Finding, notChecked, ok, problem, warning } from "#core/terminal/check.ts";
import { quote } from "./finding-texts.ts";
import type { Reply } from "./send.ts";
import { isDirect, LIST, type Site } from "./site.ts";

/** Headers of every V1 response, with the value that they must match. */
const ALWAYS: Record<string, RegExp> = {
  Deprecation: /^@\d+$/,
  Link: /rel="deprecation"/,
  "Access-Control-Allow-Origin": /^\*$/,
  "Access-Control-Expose-Headers": /\bDeprecation\b/i,
  "X-Content-Type-Options": /^nosniff$/,
  "X-Request-Id": /./,
  "Cache-Control": /./,
};
/** Headers of a response with a page of the list. */
const ON_ANSWERS: Record<string, RegExp> = {
  Vary: /accept-encoding.*x-api-key|x-api-key.*accept-encoding/i,
  ETag: /./,
};
/** HTTP allows several of these. */
const REPEATABLE = ["Link", "Vary"];

export function checkHeaders({ first, v1 }: Site): Finding {
  const expected = Object.entries({ ...ALWAYS, ...(v1 === "serving" && ON_ANSWERS) });
  const missing = expected.filter(([name]) => first.count(name) === 0).map(([name]) => name);
  if (missing.length > 0) {
    return problem(
      `missing: ${missing.join(", ")}`,
      "Credence sends these headers. Remove the directives of the proxy that hide or replace them, such as proxy_hide_header.",
    );
  }
  const repeated = expected.filter(([name]) => first.count(name) > 1 && !REPEATABLE.includes(name));
  if (repeated.length > 0) {
    return problem(
      `sent more than once: ${repeated.map(([name]) => name).join(", ")}`,
      "Credence sends these headers. Remove the directives of the proxy that add them, such as add_header.",
    );
  }
  const changed = expected.find(([name, pattern]) => !pattern.test(first.header(name) ?? ""));
  if (changed === undefined) return ok("all headers of V1 arrive, once each");
  const [name] = changed;
  return problem(
    `${name} is ${quote(first.header(name) ?? "")}`,
    "Credence sends another value. Remove the directive of the proxy that changes this header.",
  );
}

/** The URLs in `Link` come from PUBLIC_URL and must be those that clients use. */
export function checkPublicUrl(site: Site): Finding {
  const { first, url } = site;
  if (isDirect(site)) return notChecked("clients use another URL than that of this machine");
  const links = readLinks(first);
  const page = links.get("first");
  const publicUrl = page?.replace(/\/api\/v1\/passports(\?.*)?$/, "");
  if (publicUrl !== undefined && publicUrl !== url) {
    return problem(`links point to ${quote(publicUrl)}`, `Set PUBLIC_URL of Credence to ${url}.`);
  }
  const docs = links.get("deprecation");
  if (docs === undefined) return notChecked("there is no Link header");
  const target = URL.parse(docs);
  const isElsewhere = target?.origin !== site.origin.origin;
  if (target === null || (isElsewhere && (target.protocol !== "https:" || isLoopback(target.hostname)))) {
    return problem(
      `the link to the documentation is ${quote(docs)}`,
      `Set PUBLIC_URL of Credence to ${url}, and V1_DOCS_URL, if it is set, to an https:// URL that clients can open.`,
    );
  }
  return ok(
    publicUrl === undefined
      ? `documentation at ${quote(docs)}`
      : `links point to ${url}, documentation at ${quote(docs)}`,
  );
}

function readLinks(reply: Reply): Map<string, string> {
  const entries = (reply.header("link") ?? "").matchAll(/<([^<>]*)>; *rel="([^"]*)"/g);
  return new Map([...entries].map(([, target = "", rel = ""]) => [rel, target]));
}

/** Browsers send this request before one with a key. */
export async function checkPreflight({ send, url }: Site): Promise<Finding> {
  const advice = "Forward OPTIONS requests to Credence, and remove the CORS directives of the proxy.";
  const reply = await send(
    url + LIST,
    {
      origin: "https://client.example",
      "access-control-request-method": "GET",
      "access-control-request-headers": "x-api-key",
    },
    "OPTIONS",
  );
  if (reply.status !== 204) return problem(`OPTIONS responds with ${reply.status}, not 204`, advice);
  const origin = reply.header("access-control-allow-origin");
  const headers = reply.header("access-control-allow-headers");
  if (origin !== "*" || !/\bx-api-key\b/i.test(headers ?? "")) {
    return problem(`allowed origin: ${quote(origin ?? "none")}, allowed headers: ${quote(headers ?? "none")}`, advice);
  }
  return ok("browsers may send X-API-KEY from any origin");
}

/** Credence accepts the request ids of TRUSTED_PROXIES only. */
export async function checkRequestId({ send, url }: Site): Promise<Finding> {
  const id = `doctor-${crypto.randomUUID()}`;
  const reply = await send(`${url}${LIST}?doctor=${id}`, { "x-request-id": id });
  if (reply.header("x-request-id") !== id) return ok("a client cannot choose its request id");
  return warning(
    "a client can choose its request id, so Credence trusts headers of clients",
    "Set X-Request-Id in the proxy (nginx: proxy_set_header X-Request-Id $request_id), and list only the addresses of proxies in TRUSTED_PROXIES.",
  );
}
