import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { DEADLINE_MS } from "../../service/src/core/http/respond/deadline.ts";
import { testFolder } from "../../service/testing/folder.ts";
import { startProxy } from "../../service/testing/proxy.ts";
import { whenDone } from "../../service/testing/when-done.ts";

describe("two nodes", async () => {
  const origins = await Promise.all(["a", "b"].map(startEcho));
  const proxy = await startProxy(
    testFolder(),
    origins.map(({ address }) => address),
  );
  whenDone(proxy.stop);
  const clients = Array.from({ length: 20 }, (_, index) => `127.0.0.${index + 2}`);
  const seenBy = async (localAddress: string, headers = {}) =>
    JSON.parse((await proxy.send("/", { localAddress, headers })).body);

  test("see the address of the client, whatever the client sends", async () => {
    const headers = {
      "x-forwarded-for": "6.6.6.6",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
      forwarded: "for=6.6.6.6",
      "x-request-id": "chosen",
    };
    const seen = await seenBy("127.0.0.9", headers);
    expect(seen.headers).toMatchObject({ "x-forwarded-for": "127.0.0.9", "x-forwarded-proto": "https" });
    expect(JSON.stringify(seen)).not.toMatch(/6\.6\.6\.6|evil|chosen/);
  });

  test("each client stays on one node, by key or by address", async () => {
    const nodesOf = async (headersOf: (client: string) => Record<string, string>) => {
      const nodes = new Map<string, Set<string>>();
      for (const client of [...clients, ...clients]) {
        const { node } = await seenBy("127.0.0.2", headersOf(client));
        nodes.set(client, (nodes.get(client) ?? new Set()).add(node));
      }
      return [...nodes.values()].map((set) => [...set].join());
    };
    const byKey = await nodesOf((client) => ({ "x-api-key": client }));
    expect(new Set(byKey)).toEqual(new Set(["a", "b"]));
    const byAddress = new Set<string>();
    for (const client of clients) {
      const nodes = [await seenBy(client), await seenBy(client)].map(({ node }) => node);
      expect(nodes[0]).toBe(nodes[1]);
      byAddress.add(nodes[0]);
    }
    expect(byAddress).toEqual(new Set(["a", "b"]));
  });

  test("a request to a node that is down goes to the other, a 503 does not", async () => {
    const [first, second] = origins as [Echo, Echo];
    for (const origin of origins) origin.setStatus(503);
    const before = first.countRequests() + second.countRequests();
    for (const client of clients)
      expect(await proxy.send("/", { localAddress: client })).toMatchObject({ status: 503 });
    expect(first.countRequests() + second.countRequests()).toBe(before + clients.length);
    for (const origin of origins) origin.setStatus(200);
    await first.stop();
    for (const client of clients) expect(await seenBy(client)).toMatchObject({ node: "b" });
    // Both are left out now, and asked nevertheless.
    await second.stop();
    expect(await proxy.send("/", {})).toMatchObject({ status: 503 });
    await first.start();
    for (const client of clients) expect(await seenBy(client)).toMatchObject({ node: "a" });
  });

  test("a POST of a holder is sent once, and its failure does not leave out the node", async () => {
    const { send, origin } = await proxyToOne();
    origin.setStatus(0);
    const post = {
      method: "POST",
      body: "message=1",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    };
    expect(await send("/holder/requests", post)).toMatchObject({ status: 503 });
    expect(origin.countRequests()).toBe(1);
    origin.setStatus(200);
    expect(await send("/holder/requests", post)).toMatchObject({ status: 200 });
  });

  test("a node responds before nginx asks another one", () => {
    const [, seconds] =
      /proxy_read_timeout (\d+)s;/.exec(readFileSync(join(import.meta.dirname, "server.conf"), "utf8")) ?? [];
    expect(DEADLINE_MS).toBeLessThan(Number(seconds) * 1_000);
  });
});

async function proxyToOne() {
  const origin = await startEcho("single");
  const proxy = await startProxy(testFolder(), [origin.address]);
  whenDone(proxy.stop);
  return { origin, send: proxy.send };
}

type Echo = {
  address: string;
  /** 0: closes the connection without a response. */
  setStatus: (status: number) => void;
  countRequests: () => number;
  /** Listens again on the same port. */
  start: () => Promise<unknown>;
  stop: () => Promise<void>;
};

/** A node that responds with its name and the headers it received. */
async function startEcho(node: string): Promise<Echo> {
  let status = 200;
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (status === 0) return void request.socket.destroy();
    response.writeHead(status, { "cache-control": "no-store" }).end(JSON.stringify({ node, headers: request.headers }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  afterAll(stop);
  const { port } = server.address() as { port: number };
  return {
    address: `http://127.0.0.1:${port}`,
    setStatus: (next) => {
      status = next;
    },
    countRequests: () => requests,
    start: () => once(server.listen(port, "127.0.0.1"), "listening"),
    stop,
  };
}
