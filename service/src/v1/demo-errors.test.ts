import { ERRORS } from "@credence/contract/errors.ts";
import { describe, expect, test } from "vitest";
import { person } from "#testing/people.ts";
import { serveDatabase, serving } from "#testing/serving.ts";

describe("Prefer", async () => {
  const { address, name } = await serving([person(1)], { isDemo: true });
  const { address: real } = await serveDatabase(name);
  const PATHS = ["/api/v1/passports", "/api/v1/passports/1", "/api/v1/passport_credentials?passport_id=1"];
  const ask = (prefer: string, path = "/api/v1/passports/1", server = address) =>
    fetch(server + path, { headers: { prefer } });

  test.each([
    ["code=401", "unauthorized", { "www-authenticate": 'ApiKey realm="v1", header="X-API-KEY"' }],
    ["code=404", "not_found", {}],
    ["code=410", "gone", {}],
    ["code=410; brownout", "brownout", { "retry-after": "3600" }],
    ["code=429", "rate_limited", { "retry-after": "2", ratelimit: '"anonymous";r=0;t=10' }],
    ['respond-async, code="503"', "unavailable", { "retry-after": "2" }],
  ] as const)("%s: exactly this error, with its headers", async (prefer, code, headers) => {
    for (const path of PATHS) {
      const response = await ask(prefer, path);
      expect(response.status).toBe(ERRORS[code].status);
      expect(await response.json()).toEqual({ error: ERRORS[code].error, code });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        ...headers,
        "cache-control": "no-store",
        "preference-applied": `code=${ERRORS[code].status}`,
        deprecation: expect.stringMatching(/^@\d+$/),
        "access-control-allow-origin": "*",
        "access-control-expose-headers": expect.stringContaining("Preference-Applied"),
      });
      if (!("retry-after" in headers)) expect(response.headers.get("retry-after")).toBeNull();
    }
  });

  test.each(["code=500", "code=200", "code=404; brownout", "return=minimal", "code", ""])(
    "%s is ignored",
    async (prefer) => {
      const response = await ask(prefer);
      expect(response.status).toBe(200);
      expect(response.headers.get("preference-applied")).toBeNull();
      expect(response.headers.get("vary")).toBe("Accept-Encoding, X-API-KEY, Prefer");
    },
  );

  test("the preflight allows the header; a server that is no demo knows nothing of it", async () => {
    const allowedBy = async (server: string) =>
      (await fetch(server + PATHS[0], { method: "OPTIONS" })).headers.get("access-control-allow-headers");
    expect(await allowedBy(address)).toContain("Prefer");
    expect(await allowedBy(real)).not.toContain("Prefer");
    const response = await ask("code=503", PATHS[1], real);
    expect(response.status).toBe(200);
    expect(response.headers.get("vary")).toBe("Accept-Encoding, X-API-KEY");
  });
});
