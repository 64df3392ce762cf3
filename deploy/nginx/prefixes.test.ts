import { expect, test } from "vitest";
import { diagnoseDeployment } from "../../service/src/doctor/deployment/diagnose-deployment.ts";
import { fuzzedPeople } from "../../service/testing/any-request.ts";
import { comparePrefixes, SECOND_PREFIX } from "../../service/testing/compare-prefixes.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { scaled } from "../../service/testing/scale.ts";
import { serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";

const BATCHES = scaled(1_000, 30);
const environment = {
  ...{ V1_ALSO_AT: SECOND_PREFIX, PUBLIC_URL: "https://api.example.org", TRUSTED_PROXIES: "127.0.0.1" },
};

test(`through nginx, ${20 * BATCHES} requests get the same response under both prefixes`, {
  timeout: 600_000,
}, async () => {
  const node = await serving(fuzzedPeople, { environment });
  const proxy = await startProxy(testFolder(), [node.address], { alsoAt: [SECOND_PREFIX], isUnlimited: true });
  whenDone(proxy.stop);
  const seen = await comparePrefixes((method, path, headers) => proxy.send(path, { method, headers }), BATCHES);
  for (const status of [200, 401, 404, 405]) expect(seen.get(status), String(status)).toBeGreaterThan(0);
});

test("doctor --url notices a path of V1_ALSO_AT that credence.conf does not name", async () => {
  const node = await serving(fuzzedPeople, { environment });
  const check = async (alsoAt: string[]) => {
    const proxy = await startProxy(testFolder(), [node.address], { alsoAt });
    whenDone(proxy.stop);
    const checks = await diagnoseDeployment({
      ...{
        url: `https://localhost:${proxy.port}`,
        httpPort: null,
        privatePort: Number(new URL(node.privateAddress).port),
      },
    });
    return checks.find(({ name }) => name === "other paths");
  };
  expect(await check([SECOND_PREFIX])).toMatchObject({ state: "ok", finding: expect.stringContaining(SECOND_PREFIX) });
  expect(await check([])).toMatchObject({
    state: "problem",
    finding: `a malformed id gets 400 bad_request under ${SECOND_PREFIX}, but 404 not_found under /api/v1`,
    advice: expect.stringContaining("credence.conf"),
  });
});
