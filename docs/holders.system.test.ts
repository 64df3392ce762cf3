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

const read = (page: string): string => readFileSync(new URL(page, import.meta.url), "utf8");

test("the program of docs/API.md asks for every wish of a holder", async () => {
  const [, code = ""] = /^```js\n(.*?)^```/ms.exec(read("API.md")) ?? [];
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
    const { stdout } = await promisify(execFile)(process.execPath, [program, address, want], { env });
    return JSON.parse(stdout);
  };
  const listShown = async () => (await database.query("select passport_id from passport_document")).rows;
  expect(await ask("hide")).toMatchObject({ wish: "hide", state: "done", passport_ids: [12] });
  expect(await listShown()).toEqual([]);
  expect(await ask("show")).toMatchObject({ state: "done", note: null });
  expect(await listShown()).toEqual([{ passport_id: 12 }]);
  const { code: codeOfErasure, ...erasure } = await ask("erase");
  expect(erasure).toMatchObject({ state: "waiting", due_at: expect.any(String), completed_at: null });
  expect(await listShown()).toEqual([]);
  // Cancels it, as docs/HOLDERS.md says.
  expect(await ask("show")).toMatchObject({ state: "done", passport_ids: [12] });
  expect(await listShown()).toEqual([{ passport_id: 12 }]);
  const headers = { accept: "application/json" };
  const ended = await fetch(`${address}/holder/requests/${codeOfErasure}`, { headers });
  expect(await ended.json()).toMatchObject({ wish: "erase", state: "refused" });
});

test("docs/HOLDERS.md describes every state, on a page", () => {
  const page = read("HOLDERS.md");
  for (const state of ["received", "review", "waiting", "done", "refused"]) expect(page).toContain(`\`${state}\``);
  expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});
