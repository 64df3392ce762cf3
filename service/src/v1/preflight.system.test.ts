import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startBrowser } from "#testing/browser.ts";
import { person } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";
import { whenDone } from "#testing/when-done.ts";

test("a page of another origin may send every header that old clients send", async () => {
  const { address } = await serving([person(1)]);
  const site = createServer((_request, response) => response.setHeader("content-type", "text/html").end("A page"));
  whenDone(() => {
    site.close();
    site.closeAllConnections();
  });
  await once(site.listen(0, "127.0.0.1"), "listening");
  const page = await (await startBrowser()).newPage();
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  const headers = {
    "Content-Type": "application/json",
    "If-None-Match": '"x"',
    Authorization: "Bearer x",
    "Cache-Control": "no-cache",
    Pragma: "no-cache",
    "X-Requested-With": "XMLHttpRequest",
    // An empty key is no key.
    "X-API-KEY": "undefined",
  };
  const statusOf = (path: string, headers: Record<string, string>) =>
    page.evaluate(
      `fetch(${JSON.stringify(address + path)}, { headers: ${JSON.stringify(headers)} }).then(({ status }) => status, String)`,
    );
  expect(await statusOf("/api/v1/passports/1", headers)).toBe(200);
  expect(await statusOf("/api/v1/passports/1", { "X-Other": "1" })).toContain("Failed to fetch");
  // Requests of holders are for pages of this server only.
  expect(await statusOf("/holder", { Authorization: "x" })).toContain("Failed to fetch");
});
