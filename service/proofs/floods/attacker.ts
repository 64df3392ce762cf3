import { answerParent } from "../abuse/answer-parent.ts";
import { flood } from "../abuse/flood.ts";
import { unprovenRequests } from "./kinds.ts";
import { throwAwayRequest } from "./throw-away.ts";

// A separate process that sends requests of holders without valid proof.

export type FloodOrder = {
  kind: "unproven" | "throw-away";
  port: number;
  requests: number;
  addresses: number;
};

/** Below what saturates a core. Against that, no check of requests helps. */
const PER_SECOND = { unproven: 2_000, "throw-away": 350 };
/** Ends a flood that hangs. */
const MAX_MS = 1_800_000;

answerParent({
  run: ({ kind, port, requests, addresses }: FloodOrder) => {
    const bytes = kind === "unproven" ? unprovenRequests() : [];
    return flood(
      { port, isTls: false, durationMs: MAX_MS },
      {
        connections: addresses,
        addresses,
        depth: 4,
        perSecond: PER_SECOND[kind],
        maxRequests: requests,
        request: (at) => bytes[at % bytes.length] ?? throwAwayRequest(at),
      },
    );
  },
});
