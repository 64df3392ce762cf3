import type { Socket } from "node:net";

const STALLED_MS = 30_000;

/**
 * Ends a connection whose other end does not take what it asked for. A timer for every request, as the framework would set it, costs
 * a tenth of answering it; so only those are timed for whom something is left waiting.
 */
export function timeOutIfStalled(socket: Socket | null): void {
  if (socket !== null && socket.writableLength > 0) socket.setTimeout(STALLED_MS);
}
