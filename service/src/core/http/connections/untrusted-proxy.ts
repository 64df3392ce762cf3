import type { Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import { createTrustCheck } from "./client-network.ts";

/** Only here can a proxy of the operator be: anybody on the internet can send the headers of one. */
const isPrivate = createTrustCheck([
  ...["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"],
  ...["::1/128", "fc00::/7", "fe80::/10"],
]);

export type UntrustedProxy = {
  /** Whether a proxy forwards this request that is not in TRUSTED_PROXIES. By its own address: headers can name any. */
  forwards: (request: FastifyRequest) => boolean;
  /** Looks at the first request of each connection: looking at each request would cost a µs and a half. */
  look: (request: FastifyRequest) => void;
  /** The address of the first one that was seen; null if there was none. */
  address: () => string | null;
};

/** Remembers a proxy that is missing in TRUSTED_PROXIES. */
export function findUntrustedProxy(trustedProxies: readonly string[]): UntrustedProxy {
  const isTrusted = createTrustCheck(trustedProxies);
  const seen = new WeakSet<Socket>();
  let first: string | null = null;
  // The client of a trusted proxy on the same machine can have the address of the proxy.
  const forwards = ({ headers, ip, socket }: FastifyRequest): boolean =>
    headers["x-forwarded-for"] !== undefined && ip === socket.remoteAddress && isPrivate(ip) && !isTrusted(ip);
  return {
    forwards,
    look(request) {
      if (first !== null || seen.has(request.socket)) return;
      seen.add(request.socket);
      if (forwards(request)) first = request.ip.replace(/^::ffff:(?=\d+\.)/i, "");
    },
    address: () => first,
  };
}
