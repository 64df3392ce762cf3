import type { FastifyReply } from "fastify";

type Waiting = { reply: FastifyReply; send: () => void };

/**
 * Lets the responses of one turn of the event loop leave together: a reader on the same machine, a proxy say, is then woken once and
 * not for each, which took 7 % of the time of a response from the cache. Large ones take milliseconds to be copied to the kernel: only
 * one leaves in a turn, after all others, so that no number of them keeps small ones waiting.
 */
export function sendTogether(): (reply: FastifyReply, isLarge: boolean, send: () => void) => void {
  let small: Waiting[] = [];
  const large: Waiting[] = [];
  let isScheduled = false;

  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(sendTurn);
  };
  function sendTurn(): void {
    isScheduled = false;
    const turn = small;
    small = [];
    for (const waiting of turn) sendOne(waiting);
    const first = large.shift();
    if (first !== undefined) sendOne(first);
    if (large.length > 0) schedule();
  }
  return (reply, isLarge, send) => {
    (isLarge ? large : small).push({ reply, send });
    schedule();
  };
}

function sendOne({ reply, send }: Waiting): void {
  try {
    send();
  } catch {
    reply.raw.destroy();
  }
}
