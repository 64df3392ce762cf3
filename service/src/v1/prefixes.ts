import type { Config } from "#core/config/config.ts";

type Prefixes = Pick<Config, "v1AlsoAt">;

/** The paths under which V1 is served: its own, and those of V1_ALSO_AT. */
export const v1Prefixes = ({ v1AlsoAt }: Prefixes): readonly string[] => ["/api/v1", ...v1AlsoAt];

/**
 * Whether a path is V1's: below /api/, or below another prefix. Responses there have the headers of V1,
 * errors included. deploy/nginx has the same rule for its own errors.
 */
export const matchV1 = ({ v1AlsoAt }: Prefixes): RegExp => matchBelow(["/api", ...v1AlsoAt]);

/** Matches the path of a passport: one segment, whatever it is. */
export const matchPassport = (config: Prefixes): RegExp =>
  new RegExp(`${matchBelow(v1Prefixes(config).map((prefix) => `${prefix}/passports`)).source}[^/]+/*$`);

/** Matches paths below V1 and below later versions: requests to them are meant for this API. */
export const matchVersions = (config: Prefixes): RegExp => matchBelow(["/api/v[0-9]+", ...v1Prefixes(config)]);

/** Doubled slashes are ignored, as in routes. */
const matchBelow = (folders: readonly string[]): RegExp =>
  new RegExp(`^(?:${folders.map((folder) => `${folder}/`.replaceAll("/", "/+")).join("|")})`);
