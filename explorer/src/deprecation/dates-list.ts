import { formatDay, formatElapsed, formatEnd, formatSpan, formatTime, lastFullDay } from "../dates.ts";
import type { V1State } from "../frame.ts";
import { html, type Safe } from "../html.ts";
import type { Settings } from "../settings.ts";

type Entry = {
  at: Date;
  /** Whether the hour matters. */
  hasTime: boolean;
  what: Safe;
  kind: "past" | "now" | "";
  distance: string;
};

/** All dates, one below the other, with their distance in words. The filled dot is now. */
export function datesList(settings: Settings, state: V1State["state"], now: Date): Safe {
  const { deprecatedAt, sunsetAt, brownouts } = settings;
  const entries: Entry[] = [
    {
      ...{ at: deprecatedAt, hasTime: formatTime(deprecatedAt) !== "00:00 UTC" },
      what: html`Deprecated: no new fields, no support`,
      kind: deprecatedAt <= now ? "past" : "",
      distance: distanceTo(deprecatedAt, now),
    },
    ...brownouts.map((brownout, index) => outage(brownout, `${index + 1} of ${brownouts.length}`, now)),
    ...(sunsetAt === null ? [] : [end(sunsetAt, state === "gone", now)]),
  ];
  if (state === "active" || state === "announced") {
    const next = entries.findIndex(({ at }) => at > now);
    const today: Entry = { at: now, hasTime: false, what: html`Today: V1 responds`, kind: "now", distance: "" };
    entries.splice(next === -1 ? entries.length : next, 0, today);
  }
  return html`<ol class="when">
${entries.map(item)}</ol>`;
}

const item = ({ at, hasTime, what, kind, distance }: Entry): Safe =>
  html`<li${kind !== "" && html` class="${kind}"`}><time datetime="${at.toISOString()}"><b>${hasTime ? formatEnd(at) : formatDay(at)}</b></time><span>${what}</span><span class="small soft">${distance}</span></li>
`;

function outage({ startsAt, endsAt }: Settings["brownouts"][number], number: string, now: Date): Entry {
  const until = `${isSameDay(startsAt, endsAt) ? "" : `${formatDay(endsAt).replace(/ \d+$/, "")}, `}${formatTime(endsAt).replace(" UTC", "")}`;
  const isOver = endsAt <= now;
  const isNow = !isOver && startsAt <= now;
  return {
    ...{ at: startsAt, hasTime: true },
    what: html`Outage ${number}, ${formatSpan(endsAt.getTime() - startsAt.getTime())}<br><span class="small soft">until ${until}</span>`,
    kind: isOver ? "past" : isNow ? "now" : "",
    distance: isOver ? "over" : isNow ? "now" : distanceTo(startsAt, now),
  };
}

function end(at: Date, hasEnded: boolean, now: Date): Entry {
  const day = lastFullDay(at);
  const note =
    day !== null &&
    html`<br><span class="small soft">The last full day is ${formatDay(day)}. In America it is still the ${ordinalDay(day)}.</span>`;
  return {
    ...{ at, hasTime: true },
    what: html`<b>The end</b>${note}`,
    kind: hasEnded ? "now" : "",
    distance: distanceTo(at, now),
  };
}

const ordinalDay = (date: Date): string => {
  const day = date.getUTCDate();
  const suffix = ["th", "st", "nd", "rd"][day % 10] ?? "th";
  return `${day}${day > 10 && day < 14 ? "th" : suffix}`;
};

/** `in 10 months`, `4 days ago`, `today`. */
export function distanceTo(date: Date, now: Date): string {
  const [from, to] = date > now ? [now, date] : [date, now];
  const elapsed = formatElapsed(from, to);
  if (elapsed === "less than a day") return date > now ? "within a day" : "today";
  return date > now ? `in ${elapsed}` : `${elapsed} ago`;
}

const isSameDay = (a: Date, b: Date): boolean => a.toISOString().slice(0, 10) === b.toISOString().slice(0, 10);
