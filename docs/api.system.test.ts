import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { inventDemoPeople } from "../service/src/demo/invent/population.ts";
import { erase } from "../service/testing/decide.ts";
import { testFolder } from "../service/testing/folder.ts";
import { serving } from "../service/testing/serving.ts";
import { whenDone } from "../service/testing/when-done.ts";

const [, program = ""] = /^```python\n(.*?)^```/ms.exec(readFileSync(new URL("API.md", import.meta.url), "utf8")) ?? [];
const RETRY_AFTER = "7";

/** Forwards requests to a server, but refuses every third one. Collects the statuses. */
async function startRefusingProxy(address: string) {
  const statuses: number[] = [];
  let requests = 0;
  const proxy = createServer(async ({ url, headers }, response) => {
    requests += 1;
    const status = requests % 2 === 0 ? 503 : 429;
    if (requests % 3 === 0) {
      statuses.push(status);
      response.writeHead(status, { "retry-after": RETRY_AFTER }).end();
      return;
    }
    const tag = headers["if-none-match"];
    const answer = await fetch(address + url, { headers: tag === undefined ? {} : { "if-none-match": tag } });
    statuses.push(answer.status);
    response.writeHead(answer.status, { etag: answer.headers.get("etag") ?? "" }).end(await answer.text());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => proxy.once("listening", resolve));
  whenDone(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, statuses };
}

test("the Python program reads all pages, only changed ones again, and waits as long as the server asks", async () => {
  const { address, database } = await serving(inventDemoPeople());
  const { origin, statuses } = await startRefusingProxy(address);
  const folder = testFolder();
  writeFileSync(join(folder, "program.py"), program.replace("http://localhost:8080", origin));
  // Python loads this file first: its clock does not wait, but prints.
  writeFileSync(
    join(folder, "sitecustomize.py"),
    "import time\ntime.sleep = lambda seconds: print('sleep', seconds)\n",
  );
  const run = async () => {
    const { stdout } = await promisify(execFile)("python3", ["program.py"], {
      cwd: folder,
      // biome-ignore lint/style/noProcessEnv: for the path of python3.
      env: { ...process.env, PYTHONPATH: folder, no_proxy: "*" },
    });
    return { output: stdout.trim().split("\n"), statuses: statuses.splice(0) };
  };
  const sleep = `sleep ${RETRY_AFTER}`;
  expect(program.split("\n").length - 1).toBeLessThanOrEqual(30);
  expect(program.match(/^(import|from) .*/gm)).toEqual([
    "import json, time, urllib.error, urllib.request",
    "from pathlib import Path",
  ]);
  expect(await run()).toEqual({ output: ["198 passports"], statuses: [200, 200] });
  expect(await run()).toEqual({ output: [sleep, "198 passports"], statuses: [429, 304, 304] });
  await erase(database, [1]);
  expect(await run()).toEqual({ output: [sleep, "197 passports"], statuses: [503, 200, 304] });
  expect(readFileSync(join(folder, "passports.json"), "utf8")).not.toContain("Ada Okafor");
});
