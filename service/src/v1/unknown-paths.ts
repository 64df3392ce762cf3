import { type ErrorCode, MISPLACED_STATUS } from "@credence/contract/errors.ts";
import { Counter, type Registry } from "@prometheus-io/client";
import type { Config } from "#core/config/config.ts";
import { readPath, segmentsOf } from "#core/http/connections/request-target.ts";
import type { Content } from "#core/http/respond/content.ts";
import { errorContent } from "#core/http/respond/errors.ts";
import { matchPassports } from "./prefixes.ts";

/** What a path that is no endpoint asks for. The set is closed: it is a label of a metric. */
type PathShape = "list" | "passport" | "credentials" | "score" | "other";

/** Every shape but `other` looks like V1, or a later version of it, under another prefix. */
export function shapeOf(path: string): PathShape {
  const segments = segmentsOf(path.toLowerCase());
  const last = segments.at(-1);
  if (segments.at(-2) === "passports") return "passport";
  if (last === "passports") return "list";
  if (last === "passport_credentials") return "credentials";
  return last === "score" || last === "scores" ? "score" : "other";
}

/** The error of a path that is no endpoint. An id with a slash is a malformed id. */
export function unknownPathError(config: Pick<Config, "v1AlsoAt">): (path: string) => ErrorCode {
  const belowPassports = matchPassports(config);
  return (path) => (belowPassports.test(path) ? "not_found" : "unknown_path");
}

const MISPLACED: Content = { ...errorContent("unknown_path"), status: MISPLACED_STATUS };

/** An error as JSON. A path that looks like V1 gets a status that no client reads as "no passport". */
export const errorContentAt = (url: string, code: ErrorCode): Content =>
  code === "unknown_path" && shapeOf(readPath(url)) !== "other" ? MISPLACED : errorContent(code);

/** Returns a function that counts a request to a path that is no endpoint. */
export function countUnknownPaths(registry: Registry): (path: string) => void {
  const unknownPaths = new Counter({
    name: "credence_unknown_paths_total",
    help: "Requests to a path that is no endpoint, by what it looks like: list, passport, credentials, score or other.",
    labelNames: ["shape"],
    registers: [registry],
  });
  return (path) => unknownPaths.inc({ shape: shapeOf(path) });
}
