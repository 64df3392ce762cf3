import { describe, expect, test } from "vitest";
import { hashToken } from "#core/identity/api-key.ts";
import { updateKeyRevoked } from "#keys/manage/api-keys.ts";
import { issueKey } from "#keys/manage/issue-key.ts";
import { testDatabase } from "#testing/database.ts";
import { person } from "#testing/people.ts";
import { serveDatabase, serving } from "#testing/serving.ts";
import { createUsageCounter } from "./usage-counter.ts";

describe("usage over HTTP", async () => {
  const usage = createUsageCounter();
  const into = await testDatabase();
  const { database } = into;
  const owner = { label: "Test", contact: "test@example.org", expiresAt: null };
  const { token, keyId } = await issueKey(database, owner);
  const { token: ended, keyId: endedId } = await issueKey(database, owner);
  await updateKeyRevoked(database, endedId);
  const { address, name } = await serving([person(1)], { into, usage });
  const get = (path: string, headers: Record<string, string> = {}, at = address) => fetch(at + path, { headers });
  /** Counts are made after the response is written, so wait for the number of requests. */
  const takeCounts = async (requests: number, counter = usage) => {
    const taken = { counts: [] as string[], marks: [] as string[] };
    let seen = 0;
    const hasAll = () => {
      const { counts, marks } = counter.take();
      for (const count of counts) {
        seen += count.requests;
        taken.counts.push(`${count.client} ${count.endpoint} ${count.status} ${count.requests}`);
      }
      for (const mark of marks) taken.marks.push(`${mark.kind}: ${mark.value} ${mark.requests}`);
      return seen;
    };
    await expect.poll(hasAll).toBe(requests);
    return taken;
  };

  test("counts every response of the three endpoints, and no other", async () => {
    const first = await get("/api/v1/passports/1", { "x-api-key": token });
    expect(first.status).toBe(200);
    await get("/api/v1/passports/1", { "x-api-key": token, "if-none-match": first.headers.get("etag") as string });
    await get("/api/v1/passports/1", { "x-api-key": ended });
    for (const path of ["/health/ready", "/docs", "/openapi.json", "/api/v1/nothing"]) await get(path);
    await fetch(`${address}/api/v1/passports`, { method: "POST" });
    await fetch(`${address}/api/v1/passports`, { method: "OPTIONS" });
    await get("/api/v1/passport_credentials?passport_id=1&api_key=x&token=y");
    const { counts, marks } = await takeCounts(5);
    expect(counts.sort()).toEqual(
      [
        `${keyId} /api/v1/passports/:id 2xx 1`,
        `${keyId} /api/v1/passports/:id 3xx 1`,
        `${endedId} /api/v1/passports/:id 401 1`,
        "anonymous /api/v1/passports 4xx 1",
        "anonymous /api/v1/passport_credentials 2xx 1",
      ].sort(),
    );
    expect(marks).toEqual(
      expect.arrayContaining(["parameter: api_key 1", "parameter: token 1", "key in URL: anonymous 1"]),
    );
  });

  test("counts unknown keys as one client, refused or accepted", async () => {
    await get("/api/v1/passports", { "x-api-key": "old-key" });
    const hash = hashToken("old-key").toString("hex");
    const refused = await takeCounts(1);
    expect(refused.counts).toEqual(["unknown key /api/v1/passports 401 1"]);
    expect(refused.marks).toContain(`unknown key: ${hash} 1`);
    const counter = createUsageCounter();
    const open = await serveDatabase(name, { usage: counter, environment: { AUTH_MODE: "open" } });
    await get("/api/v1/passports", { "x-api-key": "old-key" }, open.address);
    const accepted = await takeCounts(1, counter);
    expect(accepted.counts).toEqual(["unknown key /api/v1/passports 2xx 1"]);
    expect(accepted.marks).toContain(`unknown key: ${hash} 1`);
  });
});
