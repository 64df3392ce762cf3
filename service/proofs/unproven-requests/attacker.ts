import { answerParent } from "../abuse/answer-parent.ts";
import { flood } from "../abuse/flood.ts";
import { unprovenRequests } from "./unproven.ts";

// A separate process that sends requests of holders without valid proof.

export type FloodOrder = { port: number; requests: number; addresses: number; people: number };

/** Below what saturates a core. Against that, no check of requests helps. */
const PER_SECOND = 2_000;
/** Ends a flood that hangs. */
const MAX_MS = 1_800_000;

answerParent({
  run: ({ port, requests, addresses, people }: FloodOrder) => {
    const bytes = unprovenRequests(people);
    return flood(
      { port, durationMs: MAX_MS },
      {
        connections: addresses,
        addresses,
        depth: 4,
        perSecond: PER_SECOND,
        maxRequests: requests,
        request: (at) => bytes[at % bytes.length] as string,
      },
    );
  },
});
