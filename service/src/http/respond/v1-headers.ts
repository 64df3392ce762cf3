import type { Config } from "#config.ts";

/** Headers of every V1 answer, errors and 304 included, ready to be sent. They change only with the configuration. */
export function v1Headers(config: Config): Readonly<Record<string, string>> {
  return Object.freeze({
    // RFC 9745: a structured-field date.
    deprecation: `@${Math.floor(config.deprecatedAt.getTime() / 1000)}`,
    ...(config.sunsetAt && { sunset: config.sunsetAt.toUTCString() }),
    link: deprecationLinks(config),
    ...CORS,
    "x-content-type-options": "nosniff",
  });
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Deprecation, Sunset, Link, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
  "cross-origin-resource-policy": "cross-origin",
};

/** What a preflight is told, for two hours. */
export const PREFLIGHT = {
  "access-control-allow-methods": "GET, HEAD, OPTIONS",
  "access-control-allow-headers": "X-API-KEY, Content-Type, Accept, If-None-Match",
  "access-control-max-age": "7200",
  allow: "GET, HEAD, OPTIONS",
};

/** Octokit's regular expression wants `rel` directly after the address. */
export function link(url: string, rel: string, type?: string): string {
  return `<${url}>; rel="${rel}"${type === undefined ? "" : `; type="${type}"`}`;
}

export function deprecationLinks(config: Config): string {
  return [
    link(config.docsUrl, "deprecation", "text/html"),
    ...(config.sunsetAt ? [link(config.docsUrl, "sunset", "text/html")] : []),
    ...(config.successorUrl ? [link(config.successorUrl, "successor-version")] : []),
  ].join(", ");
}
