import { setMaxListeners } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

// Connections of an attacker: raw sockets from addresses of 127.0.1.0/24, opened again when the server closes them.

export type Counts = {
  attempts: number;
  /** Could not be opened, or closed by the server at once, before a byte was read. */
  refused: number;
  /** Closed by the server later. */
  closed: number;
  requests: number;
  answers: number;
  statuses: Record<string, number>;
  bytes_sent: number;
  bytes_read: number;
};

export const noCounts = (): Counts => ({
  ...{ attempts: 0, refused: 0, closed: 0, requests: 0, answers: 0, statuses: {} },
  ...{ bytes_sent: 0, bytes_read: 0 },
});

export type Hold = {
  port: number;
  connections: number;
  /** How many source addresses share the connections. */
  addresses: number;
  /** No more connections than this are opened in all. */
  mostAttempts: number;
  /** When it is over: all connections are destroyed. */
  signal: AbortSignal;
  counts: Counts;
  /** Where false, nothing is ever read. */
  reading: boolean;
  /** Called with every connection that is open. `abandon` closes it without counting that as the server's doing. */
  use: (socket: Socket, abandon: () => void) => void;
};

/** A close this soon, without a byte, counts as a refusal. */
const REFUSED_WITHIN_MS = 1_000;
const WAIT_AFTER_REFUSAL_MS = 500;
/** Opened in groups, so that the load process goes on answering its own timers. */
const GROUP = 50;
const GROUP_EVERY_MS = 10;

/** Keeps so many connections open until the signal. */
export async function holdConnections(hold: Hold): Promise<void> {
  setMaxListeners(0, hold.signal);
  const slots: Promise<void>[] = [];
  for (let at = 0; at < hold.connections && !hold.signal.aborted; at += 1) {
    slots.push(holdOne(hold, `127.0.1.${1 + (at % hold.addresses)}`));
    if (at % GROUP === GROUP - 1) await delay(GROUP_EVERY_MS);
  }
  await Promise.all(slots);
}

async function holdOne(hold: Hold, localAddress: string): Promise<void> {
  while (!hold.signal.aborted && hold.counts.attempts < hold.mostAttempts) {
    const refused = await openOne(hold, localAddress);
    if (refused) await delay(WAIT_AFTER_REFUSAL_MS, undefined, { signal: hold.signal }).catch(() => {});
  }
}

/** Opens one connection; resolves when it is closed, with whether it was refused. */
function openOne({ port, signal, counts, reading, use }: Hold, localAddress: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  counts.attempts += 1;
  const started = performance.now();
  const socket = connect({ host: "127.0.0.1", port, localAddress, signal, noDelay: true });
  // Paused before it connects, it does not even fill its own buffer.
  if (!reading) socket.pause();
  let abandoned = false;
  const abandon = () => {
    abandoned = true;
    socket.destroy();
  };
  socket.on("error", () => {});
  socket.once("connect", () => use(socket, abandon));
  socket.once("end", () => socket.destroy());
  socket.once("close", () => {
    counts.bytes_sent += socket.bytesWritten;
    counts.bytes_read += socket.bytesRead;
    if (signal.aborted || abandoned) return resolve(false);
    const soon = performance.now() - started < REFUSED_WITHIN_MS;
    // A socket that is not read notices late that it was closed.
    const refused = socket.bytesRead === 0 && (soon || !reading);
    counts[refused ? "refused" : "closed"] += 1;
    resolve(refused);
  });
  return promise;
}

const STATUS_LINE = "HTTP/1.1 ";
const STATUS_LINE_BYTES = STATUS_LINE.length + 3;

/** Counts the answers in what a connection sends, by their status lines. */
export function answerCounter(counts: Counts): (chunk: Buffer) => number {
  let tail: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = Buffer.concat([tail, chunk]);
    let found = 0;
    let at = bytes.indexOf(STATUS_LINE);
    while (at !== -1 && at + STATUS_LINE_BYTES <= bytes.length) {
      const status = bytes.toString("latin1", at + STATUS_LINE.length, at + STATUS_LINE_BYTES);
      counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
      found += 1;
      at = bytes.indexOf(STATUS_LINE, at + STATUS_LINE_BYTES);
    }
    // A status line may be cut in two; a whole one must not be counted twice.
    tail = bytes.subarray(at === -1 ? Math.max(0, bytes.length - STATUS_LINE_BYTES + 1) : at);
    counts.answers += found;
    return found;
  };
}
