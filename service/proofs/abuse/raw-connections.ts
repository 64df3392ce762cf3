import { setMaxListeners } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { connect as connectTls } from "node:tls";

// Connections of an attacker: raw sockets, reopened when they are closed.

export type Counts = {
  attempts: number;
  /** Not opened, or closed by the server at once, before a byte was read. */
  refused: number;
  /** Closed by the server later. */
  closed: number;
  requests: number;
  responses: number;
  statuses: Record<string, number>;
  bytes_sent: number;
  bytes_read: number;
};

export const noCounts = (): Counts => ({
  ...{ attempts: 0, refused: 0, closed: 0, requests: 0, responses: 0, statuses: {} },
  ...{ bytes_sent: 0, bytes_read: 0 },
});

export type Connections = {
  port: number;
  isTls: boolean;
  connections: number;
  /** The number of source addresses, and the first half of each. */
  addresses: number;
  network?: string;
  /** The maximum number of connections that are opened in total. */
  maxAttempts: number;
  /** The time from the first connection, open or refused, to the end. */
  durationMs: number;
  /** Destroys all connections. */
  over: AbortController;
  counts: Counts;
  /** If false, nothing is read. */
  reading: boolean;
  /** Called for every open connection. `abandon` closes it without counting the close. */
  use: (socket: Socket, abandon: () => void) => void;
};

/** A connection that is closed within this time, without a byte, counts as refused. */
const REFUSED_WITHIN_MS = 1_000;
/** Also waits for the handshake of TLS. */
function open(isTls: boolean, port: number, localAddress: string, signal: AbortSignal): Socket {
  const options = { host: "127.0.0.1", port, localAddress, noDelay: true };
  // The certificate is that of a test.
  const socket = isTls ? connectTls({ ...options, rejectUnauthorized: false }) : connectPlain(options);
  const destroy = () => socket.destroy();
  signal.addEventListener("abort", destroy);
  socket.once("close", () => signal.removeEventListener("abort", destroy));
  return socket;
}

export const ATTACKER_NETWORK = "127.1";
const WAIT_AFTER_REFUSAL_MS = 500;
/** Connections are opened in groups, so that the timers of the load process are not delayed. */
const GROUP = 50;
const GROUP_EVERY_MS = 10;

/** Keeps the number of connections open until the time is over. */
export async function holdConnections(plan: Connections): Promise<void> {
  const { network = ATTACKER_NETWORK } = plan;
  const { signal } = plan.over;
  setMaxListeners(0, signal);
  let timer: NodeJS.Timeout | undefined;
  const startTime = () => {
    timer ??= setTimeout(() => plan.over.abort(), plan.durationMs);
  };
  const slots: Promise<void>[] = [];
  for (let index = 0; index < plan.connections && !signal.aborted; index += 1) {
    const source = index % plan.addresses;
    slots.push(holdConnection(plan, `${network}.${Math.floor(source / 250)}.${1 + (source % 250)}`, startTime));
    if (index % GROUP === GROUP - 1) await delay(GROUP_EVERY_MS);
  }
  await Promise.all(slots);
  clearTimeout(timer);
}

async function holdConnection(plan: Connections, localAddress: string, startTime: () => void): Promise<void> {
  const { signal } = plan.over;
  while (!signal.aborted && plan.counts.attempts < plan.maxAttempts) {
    const refused = await openConnection(plan, localAddress, startTime);
    if (refused) await delay(WAIT_AFTER_REFUSAL_MS, undefined, { signal }).catch(() => {});
  }
}

/** Opens a connection. Resolves when it is closed; the result is whether it was refused. */
function openConnection(
  { port, isTls, over: { signal }, counts, reading, use }: Connections,
  localAddress: string,
  startTime: () => void,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  counts.attempts += 1;
  const started = performance.now();
  const socket = open(isTls, port, localAddress, signal);
  // A socket that is paused before it connects does not even fill its own buffer.
  if (!reading) socket.pause();
  let abandoned = false;
  const abandon = () => {
    abandoned = true;
    socket.destroy();
  };
  socket.on("error", () => {});
  const opened = isTls ? "secureConnect" : "connect";
  let bytesBefore = 0;
  socket.once(opened, () => {
    // Those of the handshake.
    bytesBefore = socket.bytesRead;
    startTime();
    use(socket, abandon);
  });
  socket.once("close", startTime);
  socket.once("end", () => socket.destroy());
  socket.once("close", () => {
    counts.bytes_sent += socket.bytesWritten;
    counts.bytes_read += socket.bytesRead;
    if (signal.aborted || abandoned) return resolve(false);
    const soon = performance.now() - started < REFUSED_WITHIN_MS;
    // A socket that is not read detects the close late.
    const refused = socket.bytesRead <= bytesBefore && (soon || !reading);
    counts[refused ? "refused" : "closed"] += 1;
    resolve(refused);
  });
  return promise;
}

const STATUS_LINE = "HTTP/1.1 ";
const STATUS_LINE_BYTES = STATUS_LINE.length + 3;

/** Counts the status lines in the chunks of a connection. */
export function responseCounter(counts: Counts): (chunk: Buffer) => number {
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
    // A status line may be split between chunks. A complete one must not be counted twice.
    tail = bytes.subarray(at === -1 ? Math.max(0, bytes.length - STATUS_LINE_BYTES + 1) : at);
    counts.responses += found;
    return found;
  };
}
