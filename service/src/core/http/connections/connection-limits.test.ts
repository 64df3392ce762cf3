import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { person } from "#testing/people.ts";
import { serving } from "#testing/serving.ts";
import { whenDone } from "#testing/when-done.ts";

async function open(address: string, localAddress = "127.0.0.1"): Promise<Socket & { received: string }> {
  const { hostname: host, port } = new URL(address);
  const socket = Object.assign(connect({ host, port: Number(port), localAddress }), { received: "" });
  socket.on("data", (chunk) => {
    socket.received += chunk;
  });
  socket.on("error", () => {});
  whenDone(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: v1\r\n\r\n`;
const countResponses = ({ received }: { received: string }) => received.split("HTTP/1.1 ").length - 1;

const readMetric = async (privateAddress: string, name: string): Promise<number> => {
  const metrics = await (await fetch(`${privateAddress}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1]);
};

describe("the public port", async () => {
  const { address, privateAddress } = await serving([person(1)], {
    environment: { MAX_CONNECTIONS_PER_ADDRESS: "3", TRUSTED_PROXIES: "127.0.0.9/32", CACHE_MAX_AGE: "1m" },
  });

  test("processes 16 pipelined requests of a connection, announces the close, and leaves the rest", async () => {
    const socket = await open(address, "127.0.0.2");
    socket.write(GET("/api/v1/passports/1").repeat(500));
    await once(socket, "close");
    expect(countResponses(socket)).toBe(16);
    const closing = socket.received.split("HTTP/1.1 ").map((response) => /\r\nconnection: close\r\n/i.test(response));
    expect(closing.indexOf(true)).toBe(16);
  });

  test("processes any number of requests on a connection with at most 15 outstanding", async () => {
    const socket = await open(address, "127.0.0.7");
    for (let round = 1; round <= 10; round += 1) {
      socket.write(GET("/api/v1/passports/1").repeat(15));
      await expect.poll(() => countResponses(socket)).toBe(15 * round);
    }
    expect(socket.received).not.toMatch(/connection: close/i);
  });

  test("limits the connections per address, and exempts trusted proxies", async () => {
    const before = await readMetric(privateAddress, "credence_http_connections_refused_total");
    const sockets = [];
    for (let count = 0; count < 3; count += 1) sockets.push(await open(address, "127.0.0.3"));
    const fourth = await open(address, "127.0.0.3");
    if (!fourth.closed) await once(fourth, "close");
    expect(await readMetric(privateAddress, "credence_http_connections_refused_total")).toBe(before + 1);
    const other = await open(address, "127.0.0.4");
    other.write(GET("/api/v1/passports/1"));
    await expect.poll(() => countResponses(other)).toBe(1);
    for (let count = 0; count < 5; count += 1) sockets.push(await open(address, "127.0.0.9"));
    sockets[0]?.destroy();
    // A new connection is accepted once the server has noticed the close.
    await expect
      .poll(async () => {
        const again = await open(address, "127.0.0.3");
        again.write(GET("/api/v1/passports/1"));
        await Promise.race([once(again, "data"), once(again, "close")]);
        return countResponses(again);
      })
      .toBe(1);
  });
});

test("accepts at most MAX_CONNECTIONS connections", async () => {
  const { address, privateAddress } = await serving([person(1)], { environment: { MAX_CONNECTIONS: "2" } });
  const first = await open(address);
  await open(address);
  const third = await open(address);
  if (!third.closed) await once(third, "close");
  first.write(GET("/health/live"));
  await expect.poll(() => countResponses(first)).toBe(1);
  expect(await readMetric(privateAddress, "credence_http_connections_refused_total")).toBe(1);
});
