import { expect, test } from "vitest";
import { inventDemoPeople } from "#demo/invent/population.ts";
import { HOLDER_ENVIRONMENT } from "#testing/holder-client.ts";
import { serving } from "#testing/serving.ts";

const { address } = await serving(inventDemoPeople(), { environment: HOLDER_ENVIRONMENT });

test.each([
  ...["/", "/leaderboard", "/leaderboard?keyword=a", "/search?q=a", "/compare", "/compare?ids=1&with=adams"],
  // The largest ones: most credentials, and four people.
  ...["/passports/14", "/passports/69", "/passports/142", "/passports/19", "/compare?ids=1+18+142+169"],
  ...["/about", "/deprecation", "/holder"],
])("%s of the demo has at most 5 KB in brotli, and little more in gzip", async (path) => {
  for (const [coding, maxBytes] of Object.entries({ br: 5_000, gzip: 5_500 })) {
    const response = await fetch(address + path, { redirect: "manual", headers: { "accept-encoding": coding } });
    expect([response.status, response.headers.get("content-encoding")]).toEqual([200, coding]);
    expect(Number(response.headers.get("content-length"))).toBeLessThan(maxBytes);
  }
});
