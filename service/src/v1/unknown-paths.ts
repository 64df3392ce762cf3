import { type ErrorCode, MISPLACED_STATUS } from "@credence/contract/errors.ts";
import { Counter, type Registry } from "@prometheus-io/client";
import type { Config } from "#core/config/config.ts";
import { readPath, segmentsOf } from "#core/http/connections/request-target.ts";
import type { Content } from "#core/http/respond/content.ts";
import { errorContent } from "#core/http/respond/errors.ts";
import type { LifeCycle } from "#life-cycle/state-and-headers.ts";
import { matchPassport, matchVersions } from "./prefixes.ts";
import { type Refusal, refuseWhileOff } from "./switched-off.ts";

/** What a path that is no endpoint asks for. The set is closed: it is a label of a metric. */
type PathShape = "list" | "passport" | "credentials" | "score" | "other";

/** Every shape but `other` looks like V1, or a later version of it. */
export function shapeOf(path: string): PathShape {
  const segments = segmentsOf(path.toLowerCase());
  const last = segments.at(-1);
  if (segments.at(-2) === "passports") return "passport";
  if (last === "passports") return "list";
  if (last === "passport_credentials") return "credentials";
  return last === "score" || last === "scores" ? "score" : "other";
}

type Prefixes = Pick<Config, "v1AlsoAt">;

/** The error of a path that no route matches: a malformed id, or no endpoint. */
export function unknownPathError(config: Prefixes): (path: string) => ErrorCode {
  const passport = matchPassport(config);
  return (path) => (passport.test(path) ? "not_found" : "unknown_path");
}

const MISPLACED: Content = { ...errorContent("unknown_path"), status: MISPLACED_STATUS };

/**
 * An error as JSON. A path that looks like V1, or is below a version of it, gets a status that no client
 * reads as "no passport".
 */
export function createErrorContentAt(config: Prefixes): (url: string, code: ErrorCode) => Content {
  const versions = matchVersions(config);
  return (url, code) => {
    const path = code === "unknown_path" ? readPath(url) : "";
    return versions.test(path) || (path !== "" && shapeOf(path) !== "other") ? MISPLACED : errorContent(code);
  };
}

/** The refusal of a path below V1, or below a later version, while V1 is switched off. */
export function refuseUnknownPathWhileOff(config: Prefixes, lifeCycle: () => LifeCycle) {
  const versions = matchVersions(config);
  return (path: string): Refusal | null => (versions.test(path) ? refuseWhileOff(lifeCycle()) : null);
}

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
