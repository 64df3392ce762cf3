import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { workOnRequests } from "../service/src/app/work/work.ts";
import { testFolder } from "../service/testing/folder.ts";
import { HOLDER_ENVIRONMENT } from "../service/testing/holder-client.ts";
import { HOLDERS_ON } from "../service/testing/holders.ts";
import { person } from "../service/testing/people.ts";
import { serving } from "../service/testing/serving.ts";
import { solanaWallet } from "../service/testing/wallets.ts";
import { whenDone } from "../service/testing/when-done.ts";

const text = readFileSync(new URL("HOLDERS.md", import.meta.url), "utf8");

test("the program of docs/HOLDERS.md does all five actions, in 30 lines", async () => {
  const [, code = ""] = /^```js\n(.*?)^```/ms.exec(text) ?? [];
  expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
  const folder = testFolder();
  const program = join(folder, "ask.mjs");
  writeFileSync(program, code);
  // The private key of the test wallet, in the encoding of RFC 8410.
  const key = createHash("sha256").update("wallet holder").digest();
  const encoded = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), key]).toString("base64");
  writeFileSync(join(folder, "key.pem"), `-----BEGIN PRIVATE KEY-----\n${encoded}\n-----END PRIVATE KEY-----\n`);
  const wallet = solanaWallet("holder").address;
  const { address, database } = await serving([person(12, { main_wallet: wallet })], {
    environment: HOLDER_ENVIRONMENT,
  });
  const stop = new AbortController();
  const onFailure = (job: string, error: unknown) => expect.unreachable(`${job}: ${error}`);
  const working = workOnRequests(database, {
    holders: HOLDERS_ON,
    onRequests: () => {},
    signal: stop.signal,
    onFailure,
  });
  whenDone(async () => {
    stop.abort();
    await working;
  });
  const ask = async (want: string) => {
    const env = { WALLET: wallet, KEY_FILE: join(folder, "key.pem") };
    const { stdout } = await promisify(execFile)(process.execPath, [program, address, "12", want], { env });
    return JSON.parse(stdout);
  };
  expect(await ask("see")).toMatchObject({ state: "done", data: { passport: { passport_id: 12 } } });
  expect(await ask("hide")).toMatchObject({ action: "hide", state: "done", data: null });
  expect(await ask("unhide")).toMatchObject({ state: "done" });
  expect(await ask("erase")).toMatchObject({ state: "waiting", dueAt: expect.any(String) });
  expect(await ask("withdraw")).toMatchObject({ state: "done", note: null });
  const { rows } = await database.query("select hidden from passport");
  expect(rows).toEqual([{ hidden: false }]);
});

test("docs/HOLDERS.md describes every state", () => {
  for (const state of ["received", "unverifiable", "review", "waiting", "done", "refused", "withdrawn", "replaced"]) {
    expect(text).toContain(`| \`${state}\` |`);
  }
});
