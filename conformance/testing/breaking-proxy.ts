import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request as send } from "node:http";
import type { AddressInfo } from "node:net";

export type ProxyRequest = { method: string; path: string; headers: IncomingHttpHeaders };
export type ProxyResponse = { status: number; headers: Record<string, string | string[] | undefined>; body: string };

/** A fault in the request to the server, or in the response from it. */
export type Breakage = {
  changeRequest?: (request: ProxyRequest) => void;
  /** `request` is the request before `changeRequest`. */
  changeResponse?: (response: ProxyResponse, request: ProxyRequest) => void;
  /** The bytes to send when the request cannot be parsed. */
  parseErrorResponse?: string;
};

export type Proxy = { address: string; breakWith: (breakage: Breakage) => void; close: () => void };

// The response of the service to a request that cannot be parsed: the proxy cannot forward it.
const BAD_REQUEST = [
  "HTTP/1.1 400 Bad Request",
  "Content-Type: application/json",
  "Cache-Control: no-store",
  "Connection: close",
  "",
  JSON.stringify({ error: "The request could not be read.", code: "bad_request" }),
].join("\r\n");

/** Starts a proxy that applies one breakage at a time. */
export async function proxyTo(target: string): Promise<Proxy> {
  let breakage: Breakage = {};
  const { hostname, port } = new URL(target);
  const proxy = createServer((incoming, outgoing) => {
    const original: ProxyRequest = {
      method: incoming.method ?? "GET",
      path: incoming.url ?? "/",
      headers: incoming.headers,
    };
    const request = { ...original, headers: { ...incoming.headers } };
    breakage.changeRequest?.(request);
    const forwarded = send({ hostname, port, ...request }, (incomingResponse) => {
      const chunks: Buffer[] = [];
      incomingResponse.on("data", (chunk) => chunks.push(chunk));
      incomingResponse.on("end", () => {
        const response: ProxyResponse = {
          status: incomingResponse.statusCode ?? 0,
          headers: incomingResponse.headers,
          body: Buffer.concat(chunks).toString(),
        };
        breakage.changeResponse?.(response, original);
        for (const name of ["content-length", "transfer-encoding", "connection"]) delete response.headers[name];
        const headers = Object.entries(response.headers).filter(([, value]) => value !== undefined);
        outgoing.writeHead(response.status, Object.fromEntries(headers) as Record<string, string>);
        outgoing.end(response.body);
      });
    });
    forwarded.on("error", () => outgoing.destroy());
    forwarded.end();
  });
  proxy.on("clientError", (_error, socket) => socket.end(breakage.parseErrorResponse ?? BAD_REQUEST));
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    breakWith: (next) => {
      breakage = next;
    },
    close: () => proxy.close(),
  };
}
