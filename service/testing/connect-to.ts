import { Agent, request } from "node:http";

export type V1Response = { status: number; headers: Record<string, string>; body: string };

export type Connection = {
  send: (method: string, path: string, headers: Record<string, string>) => Promise<V1Response>;
  close: () => void;
};

/** Sends requests over a few connections. Paths are sent as they are, unlike with fetch. */
export function connectTo(address: string): Connection {
  const { hostname, port } = new URL(address);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const send: Connection["send"] = (method, path, headers) => {
    const { promise, resolve, reject } = Promise.withResolvers<V1Response>();
    const sent = request({ hostname, port, agent, method, path, headers, insecureHTTPParser: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk) => chunks.push(chunk));
      incoming.on("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers as Record<string, string>,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on("error", reject);
    sent.end();
    return promise;
  };
  return { send, close: () => agent.destroy() };
}
