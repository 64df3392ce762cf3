import { type Finding, ok, problem, warning } from "#core/terminal/check.ts";
import { quote } from "./finding-texts.ts";
import type { Reply } from "./send.ts";
import { LIST, type Site } from "./site.ts";

/** Whether the URL leads to Credence, and in which state of its life cycle V1 is. */
export function checkV1({ first, v1, url }: Site): Finding {
  if (v1 === "serving") return ok(`serving, ${describeLifeCycle(first)}`);
  if (v1 === "key required") return ok("AUTH_MODE is required: checks that need a key are skipped");
  if (v1 === "gone") {
    return warning("V1_SUNSET_AT has passed: every V1 response is 410", "If V1 is still in use, change V1_SUNSET_AT.");
  }
  if (v1 === "brownout") {
    return warning(
      `a brownout: every V1 response is 410 for another ${first.header("retry-after") ?? "unknown number of"} seconds`,
      "Correct if it is planned in V1_BROWNOUTS. Run the command again after the brownout.",
    );
  }
  if (v1 === "unavailable") {
    return problem(
      "Credence responds with 503",
      "Its database is unreachable or overloaded. Run `credence doctor` with the environment of the server.",
    );
  }
  return problem(`${url}${LIST} responds with ${first.status}, but not as V1 does`, adviceFor(first, url));
}

function describeLifeCycle(reply: Reply): string {
  const [, seconds] = /^@(\d{1,11})$/.exec(reply.header("deprecation") ?? "") ?? [];
  const since = seconds === undefined ? "" : ` since ${new Date(Number(seconds) * 1_000).toISOString().slice(0, 10)}`;
  const sunset = reply.header("sunset");
  return `deprecated${since}, ${sunset === null ? "no sunset" : `sunset ${quote(sunset)}`}`;
}

function adviceFor({ status, header }: Reply, url: string): string {
  if (status >= 300 && status < 400) {
    const target = quote(header("location") ?? "none");
    return `It redirects to ${target}, and old clients do not follow. Pass the URL of Credence to --url, or let the proxy forward the path unchanged.`;
  }
  if (status === 401 || status === 403)
    return "The proxy refuses the request. Allow clients to request V1 without a login.";
  const path = new URL(url).pathname;
  return path === "/"
    ? "Check that the proxy forwards /api/v1/ to PORT of Credence."
    : `Check that the proxy forwards ${path}/ to PORT of Credence, and strips ${path} from the path.`;
}
