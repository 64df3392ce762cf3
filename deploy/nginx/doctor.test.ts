import { expect, test } from "vitest";
import { diagnoseDeployment } from "../../service/src/doctor/deployment/diagnose-deployment.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { person } from "../../service/testing/people.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";

test("doctor --url: with the node stopped, that is the one finding, although copies are sent", async () => {
  const environment = { PUBLIC_URL: "https://api.example.org", TRUSTED_PROXIES: "127.0.0.1" };
  const node = await serving([person(1)], { environment });
  const proxy = await startProxy(testFolder(), [node.address]);
  whenDone(proxy.stop);
  const privatePort = Number(new URL(node.privateAddress).port);
  const diagnose = () => diagnoseDeployment({ url: `https://localhost:${proxy.port}`, httpPort: null, privatePort });
  expect((await diagnose()).find(({ name }) => name === "readiness")).toMatchObject({ state: "ok" });
  await node.stop(0);
  const copy = await proxy.send("/api/v1/passports");
  expect(copy.status).toBe(200);
  expect(copy.headers["x-cache"]).toMatch(/^(HIT|STALE|UPDATING)$/);
  expect(await diagnose()).toMatchObject([
    { name: "node", state: "problem", finding: expect.stringContaining("/health/ready gets 503 from the proxy") },
  ]);
});
