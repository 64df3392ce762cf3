import assert from "node:assert/strict";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import fc from "fast-check";
import { type RunningProxy, startProxy } from "#testing/proxy.ts";
import { runCredence, startServer, waitFor, withProofDatabase, withProofFolder } from "./harness.ts";

const PEOPLE = 500;
const CONCURRENT = 16;

/**
 * The proxy never sends the response to another request or to another kind of client: every response
 * is the one that the node itself sends for that target, method and key.
 */
export function proveProxyAnswers(requests: number) {
  return withProofFolder((folder) =>
    withProofDatabase(async ({ url }) => {
      const snapshot = join(folder, "snapshot");
      await runCredence(["generate", "--people", String(PEOPLE), "--out", snapshot]);
      await runCredence(["import", snapshot], { DATABASE_URL: url });
      const { stdout } = await runCredence(["keys", "create", "--label", "proof", "--contact", "proof@example.org"], {
        DATABASE_URL: url,
      });
      const key = stdout.trim();
      const compareIn = async (mode: string): Promise<Counts> => {
        const node = await startServer(url, { AUTH_MODE: mode });
        const proxy = await startProxy(join(folder, mode), [node.address], { isUnlimited: true });
        try {
          return await compare(proxy, node.address, key, Math.ceil(requests / 2));
        } finally {
          await proxy.stop();
          await node.stop();
        }
      };
      return { optional: await compareIn("optional"), required: await compareIn("required") };
    }),
  );
}

type Counts = { requests: number; cached: number; with_key: number; refused: number; not_modified: number };
type Case = { target: string; method: string; key: string; encoding: string; isConditional: boolean };
type Expected = { status: number; body: string; etag: string | undefined; cacheControl: string | undefined };

async function compare(proxy: RunningProxy, address: string, key: string, requests: number): Promise<Counts> {
  const agent = new Agent({ keepAlive: true });
  const known = new Map<string, Promise<Expected>>();
  const expect = ({ target, method, key: sent }: Case): Promise<Expected> => {
    const name = JSON.stringify([target, method, sent]);
    const found = known.get(name) ?? askNode(agent, address, target, method, sent);
    known.set(name, found);
    return found;
  };
  await waitFor(
    "the node to know the key",
    () => askNode(agent, address, "/api/v1/passports", "GET", key),
    ({ status }) => status === 200,
  );
  const counts: Counts = { requests, cached: 0, with_key: 0, refused: 0, not_modified: 0 };
  const cases = fc.sample(arbitraryCase(key), requests).values();
  const check = async () => {
    for (const sent of cases) await checkResponse(proxy, sent, await expect(sent), counts);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, check));
  agent.destroy();
  return counts;
}

async function checkResponse(proxy: RunningProxy, sent: Case, expected: Expected, counts: Counts): Promise<void> {
  const { target, method, key, encoding, isConditional } = sent;
  const { etag } = expected;
  const headers = {
    ...(key !== "none" && { "x-api-key": key }),
    ...(encoding !== "" && { "accept-encoding": encoding }),
    ...(isConditional && etag !== undefined && { "if-none-match": etag }),
  };
  const response = await proxy.send(target, { method, headers });
  const isUnmodified = isConditional && etag !== undefined;
  const actual = {
    status: response.status,
    body: response.body,
    etag: response.headers.etag,
    cacheControl: response.headers["cache-control"],
  };
  const cacheStatus = response.headers["x-cache"];
  assert.deepEqual(actual, isUnmodified ? { ...expected, status: 304, body: "" } : expected, JSON.stringify(sent));
  const hasKey = key !== "none" && key !== "";
  if (hasKey) assert.equal(cacheStatus, undefined, JSON.stringify(sent));
  if (cacheStatus === "HIT") counts.cached += 1;
  if (hasKey) counts.with_key += 1;
  if (response.status === 401) counts.refused += 1;
  if (response.status === 304) counts.not_modified += 1;
}

/** Few people and values, so that most responses are cached and many targets are nearly the same. */
function arbitraryCase(key: string): fc.Arbitrary<Case> {
  const name = fc.constantFrom("page", "per_page", "keyword", "passport_id", "other").chain(maybeEncoded);
  const value = fc.constantFrom("1", "2", "3", "10", "a", "an", "").chain(maybeEncoded);
  const query = fc
    .array(fc.tuple(name, value), { maxLength: 3 })
    .map((pairs) => pairs.map((pair) => pair.join("=")).join("&"));
  const path = fc.oneof(
    fc.constantFrom("/api/v1/passports", "/api/v1/passport_credentials", "/api/v1/passports/", "/nothing"),
    fc.constantFrom("1", "2", "3", "03", "%33", "9999").map((id) => `/api/v1/passports/${id}`),
  );
  return fc.record({
    target: fc.tuple(path, query).map(([before, after]) => (after === "" ? before : `${before}?${after}`)),
    method: fc.constantFrom("GET", "GET", "GET", "HEAD"),
    key: fc.constantFrom("none", "none", "none", "none", "", key, "unknown"),
    encoding: fc.constantFrom("", "gzip", "br", "gzip, br"),
    isConditional: fc.constantFrom(false, false, false, true),
  });
}

const maybeEncoded = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    text,
    text,
    text.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`),
  );

async function askNode(agent: Agent, address: string, target: string, method: string, key: string): Promise<Expected> {
  const { hostname, port } = new URL(address);
  // The proxy treats an empty key as no key.
  const headers = key === "none" || key === "" ? {} : { "x-api-key": key };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ agent, hostname, port, path: target, method, headers }, resolve).on("error", reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const { etag, "cache-control": cacheControl } = response.headers;
  return { status: response.statusCode as number, body: Buffer.concat(chunks).toString(), etag, cacheControl };
}
