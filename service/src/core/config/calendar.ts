/** A time during which V1 is switched off as a rehearsal of its end. */
export type Brownout = Readonly<{ startsAt: Date; endsAt: Date }>;

/** When V1 was deprecated, when it is switched off, and where callers read about it. */
export type Calendar = Readonly<{
  deprecatedAt: Date;
  sunsetAt: Date | null;
  /** In order, without overlaps, before the sunset. Empty without a sunset. */
  brownouts: readonly Brownout[];
  docsUrl: string;
  successorUrl: string | null;
}>;

/**
 * `active`: no sunset is set. `announced`: V1 responds, and its sunset is set. `brownout`: every V1
 * request gets 410 until the brownout ends. `gone`: every V1 request gets 410 from the sunset on.
 */
export type LifeCycleState = "active" | "announced" | "brownout" | "gone";

/** A time without a change of state, in milliseconds, from `from` until before `until`. */
export type Period = Readonly<{ state: LifeCycleState; from: number; until: number }>;

/** All periods in order, without gaps, from minus infinity to infinity. */
export function listPeriods({ sunsetAt, brownouts }: Calendar): Period[] {
  const begin = Number.NEGATIVE_INFINITY;
  const end = Number.POSITIVE_INFINITY;
  if (sunsetAt === null) return [{ state: "active", from: begin, until: end }];
  const sunset = sunsetAt.getTime();
  const periods: Period[] = [];
  let announcedFrom = begin;
  for (const { from, until } of joinAdjacent(brownouts)) {
    periods.push({ state: "announced", from: announcedFrom, until: from }, { state: "brownout", from, until });
    announcedFrom = until;
  }
  return [
    ...periods,
    { state: "announced", from: announcedFrom, until: sunset },
    { state: "gone", from: sunset, until: end },
  ];
}

/** A brownout that starts when another ends is a part of it: the state does not change between. */
function joinAdjacent(brownouts: readonly Brownout[]): { from: number; until: number }[] {
  const joined: { from: number; until: number }[] = [];
  for (const { startsAt, endsAt } of brownouts) {
    const last = joined.at(-1);
    if (last?.until === startsAt.getTime()) last.until = endsAt.getTime();
    else joined.push({ from: startsAt.getTime(), until: endsAt.getTime() });
  }
  return joined;
}

/** The period at a time, in milliseconds. */
export function findPeriod(calendar: Calendar, now: number): Period {
  return listPeriods(calendar).findLast(({ from }) => from <= now) as Period;
}
