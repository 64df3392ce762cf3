import { connect } from "node:net";

type RawResponse = { status: number; headers: Record<string, string>; body: string };

/** Sends raw bytes. Reads the response until the connection closes. */
export async function sendRaw(address: string, bytes: string | Buffer): Promise<RawResponse> {
  const { hostname, port } = new URL(address);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  const socket = connect(Number(port), hostname, () => socket.write(bytes));
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", reject);
  socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
  return parseResponse(await promise);
}

function parseResponse(text: string): RawResponse {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(statusLine.split(" ")[1]), headers, body: text.slice(end + 4) };
}

export const request = (target: string, headers: readonly string[] = [], method = "GET"): string =>
  `${method} ${target} HTTP/1.1\r\n${["Host: x", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`;
