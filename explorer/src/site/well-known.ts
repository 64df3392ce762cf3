const DAY_MS = 86_400_000;
/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;

/** RFC 9116. The date is that of a day, so that every node sends the same bytes. */
export function securityText(publicUrl: string, contact: string, now: Date): string {
  const expires = new Date((Math.floor(now.getTime() / DAY_MS) + VALID_DAYS) * DAY_MS);
  return `Contact: ${contact}
Expires: ${expires.toISOString()}
Preferred-Languages: en
Canonical: ${publicUrl}/.well-known/security.txt
`;
}

/**
 * Crawlers may read pages, since link previews need that; pages that must not be indexed say so
 * themselves. The API and searches are not for crawlers.
 */
export const robotsText = (basePath: string): string => `User-agent: *
Disallow: ${basePath}/api/
Disallow: ${basePath}/search
Disallow: ${basePath}/leaderboard?
Disallow: ${basePath}/compare
`;
