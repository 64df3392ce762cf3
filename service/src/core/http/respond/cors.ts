import type { Content } from "./content.ts";
import { ALLOWED_METHODS } from "./errors.ts";

/** On every response of V1: pages of any site may read it, and these headers. */
export const CORS = [
  "access-control-allow-origin",
  "*",
  "access-control-expose-headers",
  "Deprecation, Sunset, Link, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
  "cross-origin-resource-policy",
  "cross-origin",
];

/** Those after If-None-Match are sent by old clients, and are never read. */
const ALLOWED_HEADERS =
  "X-API-KEY, Content-Type, Accept, If-None-Match, Authorization, Cache-Control, Pragma, X-Requested-With";

/** The response to a CORS preflight, valid for two hours. `also`: one more header that pages may send. */
export const preflight = (also: string | null): Content => ({
  status: 204,
  body: "",
  type: "",
  caching: "fixed",
  headers: [
    "access-control-allow-methods",
    ALLOWED_METHODS,
    "access-control-allow-headers",
    also === null ? ALLOWED_HEADERS : `${ALLOWED_HEADERS}, ${also}`,
    "access-control-max-age",
    "7200",
    "allow",
    ALLOWED_METHODS,
  ],
  isV1: true,
});

/** Without permission for other sites. */
export const SAME_SITE_PREFLIGHT: Content = {
  ...preflight(null),
  headers: ["allow", ALLOWED_METHODS],
  isV1: false,
};
