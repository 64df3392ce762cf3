/** A queue of this process: how many wait, how many may, and how many have been refused since the start. */
export type QueueState = { queue: string; depth: number; bound: number; refused: number };
