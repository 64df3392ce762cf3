/** The endpoints of V1. */
export const V1_ENDPOINTS = ["/api/v1/passports", "/api/v1/passports/:id", "/api/v1/passport_credentials"] as const;

type V1Endpoint = (typeof V1_ENDPOINTS)[number];

/**
 * The endpoint of V1 that a route is, also under a prefix of V1_ALSO_AT; null for any other route.
 * The page /passports/:id has no prefix.
 */
export function v1EndpointOf(route: string): V1Endpoint | null {
  const [, rest] = /^(?:\/[a-z0-9-]+)+(\/passports(?:\/:id)?|\/passport_credentials)$/.exec(route) ?? [];
  return rest === undefined ? null : (`/api/v1${rest}` as V1Endpoint);
}
