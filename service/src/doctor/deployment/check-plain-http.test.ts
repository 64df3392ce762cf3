import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { whenDone } from "#testing/when-done.ts";
import { checkRedirect } from "./check-plain-http.ts";
import { createSend } from "./send.ts";
import { openSite } from "./site.ts";

const server = createServer(({ url = "" }, response) => response.writeHead(Number(url.split("/")[1])).end());
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
whenDone(() => void server.close());
const { port } = server.address() as AddressInfo;

test.each([
  [200, "problem"],
  [300, "problem"],
  // nginx responds so on a port of TLS.
  [400, "ok"],
  [499, "ok"],
  [500, "problem"],
])("plain http that responds with %d without a location is %s", async (status, state) => {
  const target = { url: `http://127.0.0.1:${port}/${status}`, httpPort: port, privatePort: 9090 };
  const site = await openSite(target, createSend());
  const finding = await checkRedirect({ ...site, origin: new URL("https://127.0.0.1") });
  expect(finding).toMatchObject({ state, finding: expect.stringContaining(`${status}`) });
});
