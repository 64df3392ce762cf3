/**
 * The state of a queue of this process. Requests are rejected at the depth `limit`. `rejected` counts
 * since the process started.
 */
export type QueueState = { queue: string; depth: number; limit: number; rejected: number };

export type QueueCounters = { depth: () => number; limit: number; rejected: () => number };
