import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { findUntrustedProxy } from "./untrusted-proxy.ts";

/** A request that `sender` sent; `ip` is what counts as the client. */
const request = (sender: string, ip = sender, headers: Record<string, string> = { "x-forwarded-for": "203.0.113.9" }) =>
  ({ headers, ip, socket: { remoteAddress: sender } }) as unknown as FastifyRequest;

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["::1", "::1"],
  ["10.89.0.5", "10.89.0.5"],
  ["::ffff:172.17.0.2", "172.17.0.2"],
  ["192.168.1.2", "192.168.1.2"],
  ["fd00::5", "fd00::5"],
])("%s forwards a request and is not trusted", (sender, address) => {
  const proxy = findUntrustedProxy(["198.51.100.0/24"]);
  expect(proxy.forwards(request(sender))).toBe(true);
  proxy.look(request(sender));
  expect(proxy.address()).toBe(address);
  proxy.look(request("10.0.0.99"));
  expect(proxy.address()).toBe(address);
});

test.each([
  ["a client of the internet that sends the header", request("198.51.100.1")],
  ["a client of the internet over IPv6", request("2001:db8::1")],
  ["a trusted proxy", request("127.0.0.1", "203.0.113.9")],
  ["a trusted proxy whose client is on the same machine", request("127.0.0.1")],
  ["the same over IPv6", request("::ffff:127.0.0.1")],
  ["a client without the header", request("10.0.0.99", "10.0.0.99", {})],
])("%s is no untrusted proxy", (_case, sent) => {
  const proxy = findUntrustedProxy(["127.0.0.1/32"]);
  expect(proxy.forwards(sent)).toBe(false);
  proxy.look(sent);
  expect(proxy.address()).toBeNull();
});
