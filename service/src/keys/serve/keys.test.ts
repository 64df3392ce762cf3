import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { formatToken, hashToken, randomTokenParts } from "#core/identity/api-key.ts";
import { updateKeyRevoked } from "#keys/manage/api-keys.ts";
import { adoptKey, issueKey } from "#keys/manage/issue-key.ts";
import { person } from "#testing/people.ts";
import { relayTo } from "#testing/relay.ts";
import { urlOf } from "#testing/server.ts";
import { serveDatabase, serving } from "#testing/serving.ts";
import { expectError } from "#testing/v1-shape.ts";

const HOUR_MS = 3_600_000;
const owner = { label: "Test", contact: "test@example.org", expiresAt: null };
const wellFormed = () => {
  const { id, secret } = randomTokenParts(randomInt);
  return formatToken(id, secret);
};

describe("keys over HTTP", async () => {
  const { address, database, name, privateAddress, logs } = await serving([person(1)]);
  const request = (at: string, key?: string, path = "/api/v1/passports/1") =>
    fetch(at + path, { headers: key === undefined ? {} : { "X-API-KEY": key } });
  const statusOf = async (at: string, key?: string) => (await request(at, key)).status;
  const expectEventually = (at: string, key: string, status: number) =>
    expect.poll(() => statusOf(at, key)).toBe(status);
  const { token, keyId } = await issueKey(database, owner);

  test("200 with a valid key on every endpoint, with a private Cache-Control", async () => {
    await expectEventually(address, token, 200);
    for (const path of ["/api/v1/passports", "/api/v1/passports/1", "/api/v1/passport_credentials?passport_id=1"]) {
      const response = await request(address, token, path);
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("private, max-age=60");
      expect(response.headers.get("etag")).toBe((await request(address, undefined, path)).headers.get("etag"));
    }
    expect((await request(address, token, "/api/v1/passports/2")).headers.get("cache-control")).toBe("no-store");
  });

  test("401 for every invalid key, which never counts as no key", async () => {
    const expired = await issueKey(database, { ...owner, expiresAt: new Date(Date.now() - 1_000) });
    const lastLetter = token.endsWith("a") ? "b" : "a";
    for (const key of [
      "k",
      "crd_",
      token.slice(0, -1),
      token.slice(0, -1) + lastLetter,
      wellFormed(),
      expired.token,
      `${token}, ${token}`,
      keyId,
    ]) {
      const response = await request(address, key);
      expectError({ status: response.status, headers: response.headers, body: await response.text() }, "unauthorized");
      expect(response.headers.get("www-authenticate")).toBe('ApiKey realm="v1", header="X-API-KEY"');
    }
  });

  test("undefined and null count as no key, as an empty header does", async () => {
    const { address: required } = await serveDatabase(name, {
      environment: { AUTH_MODE: "required", RATE_LIMIT_ANONYMOUS: "20" },
    });
    for (const key of ["", "undefined", "null"]) {
      const response = await request(address, key);
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toMatch(/^public/);
      const missing = await request(address, key, "/api/v1/passports/2");
      expect(missing.headers.get("cache-control")).toBe("public, max-age=30");
      // They are charged, as a guessed key is, but keep their status.
      const statuses = await Promise.all(Array.from({ length: 30 }, () => statusOf(required, key)));
      expect(new Set(statuses)).toEqual(new Set([401]));
    }
    const guessed = await Promise.all(Array.from({ length: 30 }, () => statusOf(required, "Undefined")));
    expect(guessed).toContain(429);
    expect(guessed.every((status) => status === 401 || status === 429)).toBe(true);
  });

  test("the first unknown key that is refused is logged with what to do", async () => {
    const { address: fresh, logs: lines } = await serveDatabase(name);
    for (let index = 0; index < 3; index += 1) expect(await statusOf(fresh, "0123456789abcdef-old")).toBe(401);
    const events = lines.filter((line) => line.includes("an unknown key was refused"));
    expect(events.filter((line) => line.includes("credence keys adopt --seen"))).toHaveLength(1);
  });

  test("the keys of the kit and of doctor are refused and logged like others, and counted as no client's", async () => {
    const probes = ["credence-conformance-not-a-key", "credence-doctor-not-a-key"];
    for (const key of probes) {
      const { address: fresh, logs: lines } = await serveDatabase(name);
      expect(await statusOf(fresh, key)).toBe(401);
      expect(lines.filter((line) => line.includes("an unknown key was refused"))).not.toEqual([]);
    }
    const open = await serveDatabase(name, { environment: { AUTH_MODE: "open" } });
    for (const key of [...probes, ...probes.map((probe) => `${probe}-0123`)])
      expect(await statusOf(open.address, key)).toBe(200);
    expect(await (await fetch(`${open.privateAddress}/metrics`)).text()).toMatch(/credence_unknown_keys_total 2\n/);
  });

  test("an unknown key gets 401 in optional mode, 200 once adopted, and 200 in open mode", async () => {
    const [byToken, byHash, unknownKey] = [
      "0123456789abcdef-old-1",
      "0123456789abcdef-old-2",
      "0123456789abcdef-old-3",
    ];
    for (const key of [byToken, byHash, unknownKey]) expect(await statusOf(address, key)).toBe(401);
    // The other server may be another Credence, with keys of the same form.
    const [crdToken, crdHash] = [wellFormed(), wellFormed()];
    expect(await adoptKey(database, { token: crdToken }, owner)).toEqual({ keyId: expect.any(String) });
    await adoptKey(database, { hash: hashToken(crdHash) }, owner);
    expect(await adoptKey(database, { token }, owner)).toBe("known already");
    for (const key of [crdToken, crdHash]) await expectEventually(address, key, 200);
    await adoptKey(database, { token: byToken }, owner);
    await adoptKey(database, { hash: hashToken(byHash) }, owner);
    await expectEventually(address, byToken, 200);
    await expectEventually(address, byHash, 200);
    expect(await statusOf(address, unknownKey)).toBe(401);

    const open = await serveDatabase(name, { environment: { AUTH_MODE: "open" } });
    expect(await statusOf(open.address, unknownKey)).toBe(200);
    expect(await statusOf(open.address, byToken)).toBe(200);
    expect(await (await fetch(`${open.privateAddress}/metrics`)).text()).toMatch(/credence_unknown_keys_total 1\n/);
  });

  test("open mode refuses revoked and expired keys", async () => {
    const open = await serveDatabase(name, { environment: { AUTH_MODE: "open" } });
    const { token: ended, keyId: endedId } = await issueKey(database, owner);
    await updateKeyRevoked(database, endedId);
    await expectEventually(open.address, ended, 401);
    const soon = await issueKey(database, { ...owner, expiresAt: new Date(Date.now() + HOUR_MS) });
    // Until the node has read the key, it counts as no key.
    await expect
      .poll(async () => (await request(open.address, soon.token)).headers.get("cache-control"))
      .toBe("private, max-age=60");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR_MS });
    try {
      expect(await statusOf(open.address, soon.token)).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  test("while keys cannot be read, an unknown key gets 503, and in open mode only one of our form", async () => {
    const other = await serving([person(1)]);
    const open = await serveDatabase(other.name, { environment: { AUTH_MODE: "open" } });
    await other.database.query("alter table api_key rename to api_key_away");
    for (const at of [other.address, open.address]) await expectEventually(at, wellFormed(), 503);
    expect(await statusOf(other.address, "a-key-of-the-other-server")).toBe(503);
    expect(await statusOf(open.address, "a-key-of-the-other-server")).toBe(200);
    expect(await statusOf(other.address)).toBe(200);
  });

  test("required mode returns 401 without a key", async () => {
    const required = await serveDatabase(name, { environment: { AUTH_MODE: "required" } });
    expect(await statusOf(required.address)).toBe(401);
    expect(await statusOf(required.address, "")).toBe(401);
    expect(await statusOf(required.address, token)).toBe(200);
  });

  test("a new key works on two nodes, and revoking it takes effect on both", async () => {
    const second = await serveDatabase(name);
    const { token: fresh, keyId: freshId } = await issueKey(database, owner);
    for (const node of [address, second.address]) await expectEventually(node, fresh, 200);
    await updateKeyRevoked(database, freshId);
    for (const node of [address, second.address]) await expectEventually(node, fresh, 401);
  });

  test("a notice makes a node read changed keys before its next refresh", async () => {
    const { token: ended, keyId: endedId } = await issueKey(database, owner);
    // Without fake timers for the database driver. The keyring of this node never polls.
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const node = await serveDatabase(name).finally(() => vi.useRealTimers());
    await expectEventually(node.address, ended, 200);
    await updateKeyRevoked(database, endedId);
    await expectEventually(node.address, ended, 401);
  });

  test("ignores and counts a key in the URL", async () => {
    expect(await statusOf(address)).toBe(200);
    expect((await request(address, undefined, `/api/v1/passports/1?api_key=${wellFormed()}`)).status).toBe(200);
    expect((await request(address, undefined, `/api/v1/passports/1?note=${wellFormed()}`)).status).toBe(200);
    expect(await (await fetch(`${privateAddress}/metrics`)).text()).toMatch(/credence_keys_in_urls_total 2\n/);
  });

  test("counts a key in the URL once, also if the node has not read its state when the request comes", async () => {
    const relay = await relayTo(urlOf(name));
    relay.set("cut");
    const late = await serveDatabase(name, { through: relay.through });
    relay.set("pass");
    let requests = 0;
    const send = async () => {
      requests += 1;
      return (await request(late.address, undefined, `/api/v1/passports/1?api_key=${wellFormed()}`)).status;
    };
    await expect.poll(send).toBe(200);
    const metrics = await (await fetch(`${late.privateAddress}/metrics`)).text();
    expect(metrics).toContain(`credence_keys_in_urls_total ${requests}\n`);
  });

  test("a 404 may be cached only for requests without a key", async () => {
    for (const path of ["/api/v1/passports/2", "/api/v1/passports/2%2Fx"]) {
      expect((await request(address, token, path)).headers.get("cache-control")).toBe("no-store");
      expect((await request(address, undefined, path)).headers.get("cache-control")).toBe("public, max-age=30");
    }
    expect((await request(address, undefined, "/api/v1/nothing")).headers.get("cache-control")).toBe("no-store");
  });

  test("logs the id of a valid key, and never a token", async () => {
    // The access log samples 1 in 100 requests, at most one a second.
    const isNamed = async () => {
      for (let index = 0; index < 100; index++) await request(address, token);
      return logs.some((line) => line.includes(`"key":"${keyId}"`));
    };
    await expect.poll(isNamed).toBe(true);
    expect(logs.filter((line) => /crd_[0-9A-Za-z]{48}|0123456789abcdef-old/.test(line))).toEqual([]);
  });

  test("no stored value can be used as a key", async () => {
    const { rows } = await database.query("select * from api_key");
    expect(rows.length).toBeGreaterThan(3);
    const dump = execFileSync("pg_dump", ["--data-only", "--table=api_key", urlOfOwner(database)], {
      encoding: "utf8",
    });
    const values = new Set([
      ...dump.split(/[\t\n ]/),
      ...rows.flatMap((row) => [
        row.key_id,
        row.hash.toString("hex"),
        row.hash.toString("base64"),
        row.hash.toString("base64url"),
      ]),
    ]);
    for (const value of values) {
      if (!/^[\x21-\x7e]+$/.test(value)) continue;
      expect(await statusOf(address, value), value).toBe(401);
    }
  });
});

function urlOfOwner(database: { options: { connectionString?: string | undefined } }): string {
  return database.options.connectionString as string;
}
