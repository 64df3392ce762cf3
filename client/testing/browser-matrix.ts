import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { compileClient } from "../../release/compile-client.ts";
import { startBrowser } from "../../service/testing/browser.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { whenDone } from "../../service/testing/when-done.ts";
import type { Outcome } from "./matrix.ts";

/** Runs calls of the matrix in a page of Chromium, with the client as it is published. */
export async function openMatrix(): Promise<(name: string, origin: string) => Promise<Outcome>> {
  const folder = testFolder();
  await compileClient(join(import.meta.dirname, "../.."), folder);
  const files: Record<string, [type: string, content: string]> = {
    "/": ["text/html", "<!doctype html><title>The matrix</title>"],
    "/src/client.ts": ["text/javascript", readFileSync(join(folder, "client.js"), "utf8")],
    "/testing/matrix.ts": [
      "text/javascript",
      stripTypeScriptTypes(readFileSync(new URL("matrix.ts", import.meta.url), "utf8")),
    ],
  };
  const server = createServer(({ url = "" }, response) => {
    const [type, content] = files[url] ?? ["text/plain", ""];
    response.writeHead(url in files ? 200 : 404, { "content-type": type }).end(content);
  }).listen(0, "127.0.0.1");
  whenDone(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const page = await (await startBrowser()).newPage();
  // Another origin than that of the V1 server, so that CORS applies.
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  return (name, origin) =>
    page.evaluate(
      `import("/testing/matrix.ts").then(({ runCall }) => runCall(${JSON.stringify([name, origin]).slice(1, -1)}))`,
    );
}
