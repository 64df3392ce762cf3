import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { publish } from "../../service/src/mirror/manage/publish.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { person } from "../../service/testing/people.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { serving } from "../../service/testing/serving.ts";
import { whenDone } from "../../service/testing/when-done.ts";

describe("the folder of `credence publish` behind the shipped nginx", async () => {
  const { address, database } = await serving([person(1), person(2)]);
  const place = testFolder();
  const folder = join(place, "mirror");
  mkdirSync(folder);
  chmodSync(folder, 0o2750);
  const readers = join(place, "readers");
  const hash = execFileSync("openssl", ["passwd", "-6", "secret"], { encoding: "utf8" }).trim();
  writeFileSync(readers, `ada:${hash}\n`);
  const { privateKey } = generateKeyPairSync("ed25519");
  const published = await publish(database, { folder, privateKey, source: "https://p.test", sunsetAt: null });
  const latest = published?.latest;
  writeFileSync(join(folder, "2020-01-01T000000Z.part"), "unfinished");
  writeFileSync(join(folder, "latest.json.part"), "unfinished");
  const proxy = await startProxy(join(place, "nginx"), [address], { published: { folder, readers } });
  whenDone(proxy.stop);
  const authorization = `Basic ${Buffer.from("ada:secret").toString("base64")}`;
  const get = (path: string, headers: Record<string, string> = { authorization }) => proxy.send(path, { headers });
  const files = ["/mirror/latest.json", `/mirror/${latest?.snapshot}/manifest.json`];

  test("a reader with a password gets the files, which nobody stores or indexes", async () => {
    for (const path of [...files, `/mirror/${latest?.snapshot}/people-00001.ndjson.zst`]) {
      const { status, headers } = await get(path);
      expect(status, path).toBe(200);
      expect(headers).toMatchObject({ "cache-control": "private, no-store", "x-robots-tag": "noindex, nofollow" });
    }
    expect((await get("/mirror/latest.json")).body).toContain(`"feed":"${latest?.feed}"`);
  });

  test("nobody else does, with any method", async () => {
    for (const path of files) {
      expect((await get(path, {})).status).toBe(401);
      const wrong = `Basic ${Buffer.from("ada:wrong").toString("base64")}`;
      expect((await get(path, { authorization: wrong })).status).toBe(401);
      expect((await proxy.send(path, { method: "PUT", headers: { authorization } })).status).toBe(405);
    }
  });

  test("there is no listing, and nothing unfinished or outside the folder", async () => {
    const snapshot = `/mirror/${latest?.snapshot}`;
    for (const path of [
      ...["/mirror/", snapshot, `${snapshot}/`, `${snapshot}/..`, `${snapshot}/../latest.json.part`],
      ...["/mirror/latest.json.part", "/mirror/2020-01-01T000000Z.part", "/mirror/../readers", `${snapshot}/%2e%2e/x`],
    ]) {
      expect((await get(path)).status, path).toBeGreaterThanOrEqual(400);
    }
  });

  test("V1 is served as before", async () => {
    expect((await get("/api/v1/passports/1", {})).status).toBe(200);
  });
});
