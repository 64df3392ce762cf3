import { formatDay } from "../dates.ts";
import { html, type Safe } from "../html.ts";
import type { Settings } from "../settings.ts";

/** The dates to scale, for wide screens. The table says the same. */
export function scaledLine({ deprecatedAt, sunsetAt, brownouts }: Settings, now: Date): Safe | null {
  if (sunsetAt === null || sunsetAt <= deprecatedAt) return null;
  const span = sunsetAt.getTime() - deprecatedAt.getTime();
  const place = (date: Date): number =>
    Math.round(Math.min(1, Math.max(0, (date.getTime() - deprecatedAt.getTime()) / span)) * 10_000) / 100;
  const today = place(now);
  const places = brownouts.map(({ startsAt }) => place(startsAt));
  return html`<svg class="span" height="92" aria-hidden="true">
<line class="l" x1="0" x2="100%" y1="46" y2="46"/><line class="p" x1="0" x2="${today}%" y1="46" y2="46"/>
${places.map((place) => html`<line class="l" x1="${place}%" x2="${place}%" y1="41" y2="53"/>`)}
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
