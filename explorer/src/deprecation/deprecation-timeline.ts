import { formatCount, formatDay, formatSpan, formatTime } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import { inline } from "../inline.ts";
import type { Settings } from "../settings.ts";

const DAY_MS = 86_400_000;

/** A date of the list. In its text, backticks mark code. */
type Event = { at: Date; title: string; text: string; isNow?: boolean };

/** All dates in order, with today among them. `offUntil` is the end of a current brownout. */
export function listEvents(settings: Settings, now: Date, offUntil: Date | null): Event[] {
  const { deprecatedAt, sunsetAt, brownouts } = settings;
  const events: Event[] = [
    {
      at: deprecatedAt,
      title: "Deprecated",
      text: "From this day on, V1 is unsupported and its data may be out of date. Every response states the date in the `Deprecation` header.",
    },
    ...brownouts.map(({ startsAt, endsAt }, at) => ({
      at: startsAt,
      title: brownouts.length === 1 ? "Brownout" : `Brownout ${at + 1} of ${brownouts.length}`,
      text: `From ${formatTime(startsAt)} for ${formatSpan(endsAt.getTime() - startsAt.getTime())}${
        formatDay(startsAt) === formatDay(endsAt) ? "" : `, until ${formatDay(endsAt)}, ${formatTime(endsAt)}`
      }.${at === 0 ? " Every request gets 410 with the code `brownout`." : ""}`,
    })),
  ];
  if (sunsetAt !== null) {
    const from = formatTime(sunsetAt) === "00:00 UTC" ? "From the start of this day" : `From ${formatTime(sunsetAt)}`;
    events.push({ at: sunsetAt, title: "End", text: `${from} on, every request gets 410 with the code \`gone\`.` });
  }
  return [...events, today(settings, now, offUntil)].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

function today({ sunsetAt }: Settings, now: Date, offUntil: Date | null): Event {
  const event = { at: now, title: "Today", isNow: true };
  if (sunsetAt === null) return { ...event, text: "V1 responds. No end date is set." };
  if (now >= sunsetAt) return { ...event, text: "V1 does not respond any more." };
  if (offUntil !== null) {
    const until = `${formatDay(offUntil)}, ${formatTime(offUntil)}`;
    return { ...event, text: `V1 is switched off. It responds again from ${until} on.` };
  }
  const days = Math.floor((sunsetAt.getTime() - now.getTime()) / DAY_MS);
  return { ...event, text: `V1 responds. ${days === 0 ? "Less than a day is" : leftDays(days)} left.` };
}

const leftDays = (days: number): string => `${formatCount(days, "day")} ${days === 1 ? "is" : "are"}`;

/** The dates as a list, which every reader gets. */
export const eventList = (events: readonly Event[]): Safe => html`<ol class="time">
${events.map(
  ({
    at,
    title,
    text,
    isNow,
  }) => html`<li${isNow && html` class="now"`}><time datetime="${at.toISOString()}">${formatDay(at)}</time><div><h3>${title}</h3><p>${inline(text)}</p></div></li>
`,
)}</ol>`;

/** The dates to scale, for wide screens. The list says the same. */
export function scaledLine({ deprecatedAt, sunsetAt, brownouts }: Settings, now: Date): Safe | null {
  if (sunsetAt === null || sunsetAt <= deprecatedAt) return null;
  const span = sunsetAt.getTime() - deprecatedAt.getTime();
  const place = (date: Date): number =>
    Math.round(Math.min(1, Math.max(0, (date.getTime() - deprecatedAt.getTime()) / span)) * 10_000) / 100;
  const today = place(now);
  const places = brownouts.map(({ startsAt }) => place(startsAt));
  return html`<svg class="span" height="92" aria-hidden="true">
<line class="l" x1="0" x2="100%" y1="46" y2="46"/><line class="p" x1="0" x2="${today}%" y1="46" y2="46"/>
${places.map((at) => html`<line class="l" x1="${at}%" x2="${at}%" y1="41" y2="53"/>`)}
${mark(0, "Deprecated", deprecatedAt)}${mark(100, "End", sunsetAt)}
${isBetween(today) && mark(today, "Today", now)}
${places.length > 0 && brownoutLabel(places, brownouts)}
</svg>`;
}

/** Nearer to an end, the label would cover that of the end. */
const isBetween = (place: number): boolean => place >= 15 && place <= 85;

const mark = (place: number, title: string, date: Date): Safe =>
  html`<circle class="d" cx="${place}%" cy="46" r="6"/>${label(place, 16, title, formatDay(date))}`;

const label = (place: number, y: number, title: string, text: string): Safe => {
  const anchor = place < 15 ? "start" : place > 75 ? "end" : "middle";
  return html`<text class="n" x="${place}%" y="${y}" text-anchor="${anchor}">${title}</text><text x="${place}%" y="${y + 17}" text-anchor="${anchor}">${text}</text>`;
};

function brownoutLabel(places: readonly number[], brownouts: Settings["brownouts"]): Safe {
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const [start, end] = [brownouts[0], brownouts.at(-1)].map((brownout) => formatDay(brownout?.startsAt ?? new Date(0)));
  const title = places.length === 1 ? "Brownout" : `${places.length} brownouts`;
  const middle = (first + last) / 2;
  return label(middle > 75 ? last : middle, 73, title, start === end ? `${start}` : `${start} to ${end}`);
}
