/** The state of a queue of this process. `rejected` counts since the process started. */
export type QueueState = { queue: string; depth: number; rejected: number };

export type QueueCounters = { depth: () => number; rejected: () => number };
