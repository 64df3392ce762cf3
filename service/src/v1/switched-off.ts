import type { ErrorCode } from "@credence/contract/errors.ts";
import { isSwitchedOff, type LifeCycle, retryAfterHeader } from "#life-cycle/state-and-headers.ts";

/** Why a request is refused, with headers for this request alone. */
export type Refusal = { code: ErrorCode; headers?: readonly string[] };

export const brownoutUntil = (until: number): Refusal => ({
  code: "brownout",
  headers: retryAfterHeader(until, Date.now()),
});

/** The refusal of every request while V1 is switched off: after its sunset and in a brownout. */
export function refuseWhileOff({ state, until }: LifeCycle): Refusal | null {
  if (!isSwitchedOff(state)) return null;
  return state === "gone" ? { code: "gone" } : brownoutUntil(until);
}
