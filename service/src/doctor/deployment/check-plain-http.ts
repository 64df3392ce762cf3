import { type Finding, notChecked, ok, problem, warning } from "#core/terminal/check.ts";
import { quote } from "./finding-texts.ts";
import type { Reply } from "./send.ts";
import { LIST, type Site } from "./site.ts";

const REDIRECT_ADVICE = "Redirect plain http in the proxy; for nginx: return 301 https://$host$request_uri.";

/** Plain http must redirect to the same URL with https, or not serve V1 at all. */
export async function checkRedirect(site: Site): Promise<Finding> {
  const { origin, httpPort, url, send } = site;
  if (origin.protocol === "http:") return notChecked("the URL is plain http");
  if (httpPort === null) return notChecked("the URL has a port, and --http-port is not set");
  const plain = new URL(url + LIST);
  plain.protocol = "http:";
  plain.port = String(httpPort);
  let reply: Reply;
  try {
    reply = await send(plain.href);
  } catch {
    return ok(`nothing responds on port ${httpPort}`);
  }
  const { status } = reply;
  if (status >= 400 && status < 500) return ok(`plain http is refused with ${status}`);
  if (status < 300 || status >= 400)
    return problem(`plain http responds with ${status}, without a redirect`, REDIRECT_ADVICE);
  const location = URL.parse(reply.header("location") ?? "")?.href ?? "";
  const finding = `plain http responds with ${status} to ${quote(location)}`;
  if (!location.startsWith("https://")) return problem(finding, REDIRECT_ADVICE);
  if (location !== url + LIST) return warning(`${finding}, not to ${url + LIST}`, REDIRECT_ADVICE);
  if (status !== 301 && status !== 308) return warning(`${finding}, which is temporary`, REDIRECT_ADVICE);
  return ok(`plain http redirects to https with ${status}`);
}

export function checkHsts(site: Site): Finding {
  if (site.origin.protocol === "http:") return notChecked("the URL is plain http");
  const advice = "Send it from the proxy; for nginx: add_header Strict-Transport-Security max-age=31536000 always.";
  const value = site.first.header("strict-transport-security");
  if (value === null) return warning("no Strict-Transport-Security header", advice);
  const [, maxAge = "0"] = /max-age="?(\d+)/i.exec(value) ?? [];
  if (site.first.count("strict-transport-security") > 1 || Number(maxAge) === 0) {
    return warning(`Strict-Transport-Security is ${quote(value)}`, `Send it once, with a max-age above 0. ${advice}`);
  }
  return ok(`Strict-Transport-Security: ${quote(value)}`);
}
