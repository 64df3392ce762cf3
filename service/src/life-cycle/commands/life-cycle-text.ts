import type { LifeCycleState } from "#core/config/calendar.ts";
import type { ServedLifeCycle } from "#life-cycle/served-life-cycle.ts";

/** What each state means for clients. */
export const MEANINGS: Record<LifeCycleState, string> = {
  active: "it responds, and no sunset is set",
  announced: "it responds, and its sunset is set",
  brownout: "every request gets 410 until the brownout ends",
  gone: "every request gets 410",
};

const NEXT: Record<LifeCycleState, string> = {
  active: "it responds",
  announced: "it responds again",
  brownout: "every request gets 410 for a while",
  gone: "every request gets 410",
};

/** What is known of a state while no node responds. */
const PLANNED: Record<LifeCycleState, string> = {
  active: "no sunset is set",
  announced: "its sunset is set",
  brownout: "switched off until the brownout ends",
  gone: "its sunset has passed",
};

/** What the state means for clients. */
export const meaningOf = ({ document: { state }, doubt }: ServedLifeCycle): string =>
  doubt === null ? MEANINGS[state] : PLANNED[state];

/** Where the calendar comes from. */
export function describeSource({ node, doubt }: ServedLifeCycle): string {
  const source = node ?? "settings of this shell";
  return doubt === null ? source : `${source}; ${doubt}`;
}

/** The state of V1, what it means, when it changes, and where that comes from if no node responds. */
export function describeState(served: ServedLifeCycle): string {
  const { state, next_change } = served.document;
  const next = next_change === null ? "" : `; from ${next_change.at} on, ${NEXT[next_change.state]}`;
  const source = served.doubt === null ? "" : ` (${describeSource(served)})`;
  return `${state}: ${meaningOf(served)}${next}${source}`;
}

/** A time in milliseconds, to the second. */
export const formatUtc = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

const DAY_MS = 86_400_000;
const UNITS = [
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: 60_000 },
  { unit: "second", ms: 1_000 },
];

/** Whole days from three days on, else at most two units: `226 days`, `48 hours`, `5 minutes`. */
export function formatSpan(ms: number): string {
  if (ms >= 3 * DAY_MS) return `${Math.floor(ms / DAY_MS).toLocaleString("en")} days`;
  let rest = ms;
  const parts = UNITS.flatMap(({ unit, ms: size }) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];
  });
  return parts.slice(0, 2).join(" ") || "less than a second";
}
