import type { ErrorCode } from "@credence/contract/errors.ts";
import { isSwitchedOff, type LifeCycle, retryAfterHeader, STALE_RETRY } from "#life-cycle/state-and-headers.ts";

/** Why a request is refused, with headers for this request alone. */
export type Refusal = { code: ErrorCode; headers?: readonly string[] };

export const brownoutUntil = (until: number): Refusal => ({
  code: "brownout",
  headers: retryAfterHeader(until, Date.now()),
});

/** The refusal of every request while V1 is switched off: after its sunset, in a brownout, on a stale mirror. */
export function refuseWhileOff({ state, until, isStale }: LifeCycle): Refusal | null {
  if (!isSwitchedOff(state)) return isStale ? { code: "unavailable", headers: STALE_RETRY } : null;
  return state === "gone" ? { code: "gone" } : brownoutUntil(until);
}
