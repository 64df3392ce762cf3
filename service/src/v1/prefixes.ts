import type { Config } from "#core/config/config.ts";

type Prefixes = Pick<Config, "v1AlsoAt">;

/** The paths under which V1 is served: its own, and those of V1_ALSO_AT. */
export const v1Prefixes = ({ v1AlsoAt }: Prefixes): readonly string[] => ["/api/v1", ...v1AlsoAt];

/** Matches paths below a prefix of V1. Doubled slashes are ignored, as in routes. */
export function matchBelow(config: Prefixes, path: "" | "/passports"): RegExp {
  const prefixes = v1Prefixes(config).map((prefix) => `${prefix}${path}/`.replaceAll("/", "/+"));
  return new RegExp(`^(?:${prefixes.join("|")})`);
}
