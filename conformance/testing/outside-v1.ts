import { parse, type Received } from "./run-old-client.ts";

/** The parameters of the list and of the credentials; the passport has none. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  passports: ["page", "per_page", "keyword"],
  passport_credentials: ["passport_id"],
};
/** An order and a size are no filter: they are ignored, as they always were. */
const IGNORED = ["sort", "sort_by", "order", "limit"];

/**
 * Whether V1 does not have a request, decided by the words of the specification and not by the code of
 * the server. `prefixes`: where the server has V1.
 */
export function isOutsideV1(target: string, prefixes: readonly string[]): boolean {
  const { pathname, searchParams } = new URL(`http://host${target.replace(/^\/+/, "/")}`);
  const prefix = prefixes.find((some) => pathname.startsWith(`${some}/`));
  if (prefix === undefined) return true;
  const [endpoint = "", id, ...more] = pathname
    .slice(prefix.length + 1)
    .replace(/\/$/, "")
    .split("/");
  if (!(endpoint in PARAMETERS) || more.length > 0) return true;
  if (id !== undefined) return endpoint !== "passports";
  // A working client pages with an id beside the page.
  const known = [...(PARAMETERS[endpoint] ?? []), ...IGNORED, ...(searchParams.has("page") ? ["id"] : [])];
  return [...searchParams.keys()].some((name) => !known.includes(name));
}

/** What a response would make of a request that V1 does not have. A page for browsers is none of these. */
export function answersAsV1({ status, body }: Received): "people" | "empty list" | "404 of a person" | null {
  const parsed = parse(body);
  if (status === 404 && parsed?.code === "not_found") return "404 of a person";
  const answer = parsed?.passport ?? parsed?.passports ?? parsed?.passport_credentials;
  if (answer === undefined) return null;
  return Array.isArray(answer) && answer.length === 0 ? "empty list" : "people";
}
