import type { Logger } from "pino";
import type { Calendar } from "#core/config/calendar.ts";
import { isSwitchedOff, lifeCycle } from "#life-cycle/state-and-headers.ts";

/** Timers cannot wait longer than 24 days. */
const MAX_WAIT_MS = 86_400_000;

/** Logs the state of V1 now and at each change, until `stop`. */
export function logLifeCycle(log: Logger, calendar: Calendar): { stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let logged: string | null = null;
  const look = () => {
    const now = Date.now();
    const { state, until } = lifeCycle(calendar, now);
    if (state !== logged) {
      const level = isSwitchedOff(state) ? "warn" : "info";
      const next = Number.isFinite(until) ? { until: new Date(until) } : {};
      log[level]({ state, ...next }, isSwitchedOff(state) ? "every V1 request gets 410" : "V1 is switched on");
    }
    logged = state;
    timer = setTimeout(look, Math.min(Math.max(1, until - now), MAX_WAIT_MS)).unref();
  };
  look();
  return { stop: () => clearTimeout(timer) };
}
