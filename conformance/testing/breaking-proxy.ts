import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request as send } from "node:http";
import type { AddressInfo } from "node:net";

export type Asked = { method: string; path: string; headers: IncomingHttpHeaders };
export type Told = { status: number; headers: Record<string, string | string[] | undefined>; body: string };

/** One thing done wrong: to the question on its way to the server, or to the answer on its way back. */
export type Breakage = {
  ask?: (asked: Asked) => void;
  tell?: (told: Told, asked: Asked) => void;
  /** What a method that the parser does not know is answered with. */
  unreadable?: string;
};

export type Proxy = { address: string; breakWith: (breakage: Breakage) => void; close: () => void };

// What our server says to a request that its parser, or here the proxy's, cannot read.
const BAD_REQUEST = [
  "HTTP/1.1 400 Bad Request",
  "Content-Type: application/json",
  "Cache-Control: no-store",
  "Connection: close",
  "",
  JSON.stringify({ error: "The request could not be read.", code: "bad_request" }),
].join("\r\n");

/** Stands before a server and does one thing wrong at a time. */
export async function proxyTo(target: string): Promise<Proxy> {
  let breakage: Breakage = {};
  const proxy = createServer((incoming, outgoing) => {
    const asked: Asked = {
      method: incoming.method ?? "GET",
      path: incoming.url ?? "/",
      headers: { ...incoming.headers },
    };
    const original = { ...asked, headers: incoming.headers };
    breakage.ask?.(asked);
    const { hostname, port } = new URL(target);
    const onward = send(
      { hostname, port, method: asked.method, path: asked.path, headers: asked.headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () => {
          const told: Told = {
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          };
          breakage.tell?.(told, original);
          const { "content-length": _, "transfer-encoding": __, connection: ___, ...headers } = told.headers;
          outgoing.writeHead(
            told.status,
            Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
              string,
              string
            >,
          );
          outgoing.end(told.body);
        });
      },
    );
    onward.on("error", () => outgoing.destroy());
    onward.end();
  });
  proxy.on("clientError", (_error, socket) => socket.end(breakage.unreadable ?? BAD_REQUEST));
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
