import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Response } from "./compose.ts";

/** Writes a response to a request that Node has parsed. */
export function writeToRequest(raw: ServerResponse, { status, headers, body }: Response): void {
  raw.writeHead(status, headers);
  if (body === null) raw.end();
  else raw.end(body, "latin1");
}

/** Writes a response where there is no parsed request, and ends the connection. */
export function writeToSocket(socket: Duplex, { status, headers, body }: Response): void {
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}\r\n`] : []));
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body ?? ""}`, "latin1");
}
